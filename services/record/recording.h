/* recording.h: records of the step as messages of an MCAP file.
 *
 *   /sensors    every record, or every n-th   t, step, quality, state, then a number per channel
 *   /commands   likewise                      t, then the command applied to each actuator
 *   /poses      likewise                      t, then x y z w x y z of each body
 *   /accounts   every tick                    when it woke, ended; iterations, cause of a miss
 *   /events     as they come                  what happened, in words
 *   /quality    when it changes               flags of each channel: inserted faults that show
 *   /gaps       when records were lost        how many of what, so that none is missed unseen
 *
 * Fields are named after the model's elements, in letters that ROS messages allow; the
 * channel's metadata has the true name and the unit of each. Times are those of the release,
 * in ns since 1970. SERVICE context; allocates; never waits for anything but the disk. */
#ifndef RECORDING_H
#define RECORDING_H

#include "rt/link/port.h"
#include "services/record/mcap.h"

struct recording_options {
    uint32_t every;      /* one record of so many; at least 1 */
    int64_t utc_ns;      /* to add to monotonic time */
    const char *library; /* the program, for the file's header */
};

struct recording;

/* Begin a file for this model on a descriptor. NULL without memory. */
struct recording *recording_create(int fd, const struct port *port,
                                   const struct recording_options *o);

/* A file of its own about the run: the text of the model or rig file. */
void recording_attach(struct recording *r, const char *name, const char *media_type,
                      const void *data, size_t n);

/* Add what the step said. */
void recording_record(struct recording *r, const struct record *record);
void recording_account(struct recording *r, const struct account *account);
void recording_event(struct recording *r, const struct event *event, const char *words);

/* Say that frames were lost before they could be read: what ("records", "accounts",
 * "events") and how many, at the time of the last record. */
void recording_gap(struct recording *r, const char *what, uint64_t n);

/* The file behind it, for its size, errors and flushes. */
struct mcap *recording_file(struct recording *r);

/* End the file and free. Returns STATUS_IO after a failure to write. */
enum status recording_destroy(struct recording *r) MUST_CHECK;

/* A name as a ROS field: small letters, digits, _; begins with a letter. `room` bytes. */
void recording_field(const char *name, char *field, size_t room);

#endif
