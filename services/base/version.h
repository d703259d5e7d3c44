/* version.h: which program this is, for people, reports, recordings and OPC UA's BuildInfo.
 *
 * The release is written here and nowhere else. The rest is found when the program is built
 * (the Makefile asks git; a tree without git: "unknown") or by the linker.
 * SERVICE context. Blocks: never. */
#ifndef VERSION_H
#define VERSION_H

/* Raised with each release; config/CHANGES.md says what is new in it. */
#define VERSION_RELEASE "0.2.0"

/* Model and rig files may say for which form they were written (`format: 1`). */
enum { VERSION_FORMAT = 1 };

struct version {
    const char *release; /* VERSION_RELEASE */
    const char *sources; /* what git calls them, "f6df46e" or "v0.2.0-3-gf6df46e-dirty";
                            "unknown" without git */
    long long date_s;    /* of that commit or SOURCE_DATE_EPOCH, since 1970 UTC; 0: unknown */
    char build_id[41];   /* the linker's id of the running program, hexadecimal: programs with
                            the same one execute the same instructions; "unknown" without */
    char text[128];      /* in one line: "0.2.0 (f6df46e, build 1a2b3c4d5e6f)" */
};

/* Say which program runs. */
struct version version_read(void);

#endif
