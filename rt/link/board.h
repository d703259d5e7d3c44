/* board.h: what the supervisor tells everybody. Lies in the supervisor's block and
 * is written by the supervisor alone; single values are loaded and stored as C11
 * atomics where they change while others read. */
#ifndef BOARD_H
#define BOARD_H

#include <stdatomic.h>
#include <stdint.h>

#include "rt/link/block.h"

enum { BOARD_NAME = 32, BOARD_TEXT = 1024, BOARD_ENDPOINT = 128 };

struct board_service {
    char name[BOARD_NAME];      /* "" : no such service; const */
    _Atomic uint32_t epoch;     /* +1 at every start; 0: never started */
    _Atomic int32_t pid;        /* 0: not running now */
    _Atomic uint32_t hangs;     /* how often it was ended because it hung */
    _Atomic uint32_t lost;      /* 1: given up: it cannot run by its settings or surroundings */
};

/* The verdict of doctor and admission, published with the reasons. */
enum board_verdict {
    BOARD_GUARANTEED,           /* real-time kernel, isolated core, all rights */
    BOARD_WATCHED,              /* deadlines are watched but not guaranteed */
    BOARD_DEGRADED              /* runs without real-time rights, because asked to */
};

/* What of the step thread is not as it was set. */
enum board_scheduling { BOARD_POLICY = 1, BOARD_PRIORITY = 2, BOARD_CORE = 4, BOARD_UNSEEN = 8 };

struct board {
    int64_t utc_offset_ns;      /* UTC = monotonic + this, at start */
    _Atomic int64_t utc_offset_now_ns; /* the same, renewed every second */
    uint32_t verdict;           /* enum board_verdict; const */
    uint32_t core;              /* of the step thread; const */
    uint32_t priority;          /* FIFO, 0: none; const */
    _Atomic uint32_t arm_allowed; /* 0: doctor or admission refused, or not yet known */
    _Atomic uint32_t deaf;      /* 1: the step takes requests from the supervisor only */
    char service_cores[BOARD_NAME]; /* of the services and the supervisor, "0,2-3"; const */
    char verdict_text[BOARD_TEXT]; /* one sentence per line; const */
    _Atomic int32_t supervisor_pid;
    _Atomic uint32_t stopping;  /* 1: everybody end, please */
    _Atomic int32_t step_pid;   /* 0: the step process is gone: all values Bad */
    _Atomic uint32_t step_exit; /* its wait status then */
    _Atomic uint32_t scheduling; /* enum board_scheduling bits, looked at once a second */
    _Atomic uint32_t scheduling_changes; /* how often it was found changed */
    struct board_service service[BLOCK_SERVICES];
    char endpoint[BOARD_ENDPOINT]; /* where it answers; "" until it does, and where nothing does */
};

#endif
