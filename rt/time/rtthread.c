/* rtthread.c: see rtthread.h. */
#include "rt/time/rtthread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/math/subnormal.h"

#include "rt/rtsafe.h"

static enum status rtthread_fail(struct rtthread *t, const char *what, int error)
{
    t->failed = what;
    t->error = error;
    return error == EPERM || error == EACCES ? STATUS_RIGHTS : STATUS_REFUSED;
}

enum status rtthread_lock_memory(struct rtthread *t)
{
    if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0)
        return rtthread_fail(t, "prctl(PR_SET_THP_DISABLE)", errno);
    if (mlockall(MCL_FUTURE) != 0) return rtthread_fail(t, "mlockall", errno);
    return STATUS_OK;
}

static void *rtthread_main(void *self)
{
    struct rtthread *t = self;

    subnormal_flush();
    t->run(t->context);
    atomic_store_explicit(&t->finished, 1, memory_order_release);
    syscall(SYS_exit, 0); /* the C library's own way out makes other system calls */
    return NULL;
}

static int rtthread_attributes(struct rtthread *t, pthread_attr_t *attr)
{
    cpu_set_t set;
    int error = pthread_attr_setstack(attr, t->stack, RTTHREAD_STACK);

    if (!error && t->core >= 0) {
        CPU_ZERO(&set);
        CPU_SET((size_t)t->core, &set);
        error = pthread_attr_setaffinity_np(attr, sizeof set, &set);
    }
    return error;
}

enum status rtthread_prepare(struct rtthread *t)
{
    struct sched_param param = {.sched_priority = t->priority};

    t->stack = mmap(NULL, RTTHREAD_STACK, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_POPULATE, -1, 0);
    if (t->stack == MAP_FAILED) return rtthread_fail(t, "mmap of the stack", errno);
    if (t->priority > 0 && sched_setscheduler(0, SCHED_FIFO, &param) != 0)
        return rtthread_fail(t, "SCHED_FIFO", errno);
    return STATUS_OK;
}

enum status rtthread_start(struct rtthread *t)
{
    struct sched_param ordinary = {.sched_priority = 0};
    pthread_attr_t attr;
    sigset_t all, before;
    int error;

    atomic_store(&t->finished, 0);
    pthread_attr_init(&attr);
    error = rtthread_attributes(t, &attr);
    if (!error) {
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        error = pthread_create(&t->thread, &attr, rtthread_main, t);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_attr_destroy(&attr);
    if (t->priority > 0) sched_setscheduler(0, SCHED_OTHER, &ordinary);
    return error ? rtthread_fail(t, "pthread_create on the core", error) : STATUS_OK;
}

void rtthread_join(struct rtthread *t)
{
    pthread_join(t->thread, NULL);
    munmap(t->stack, RTTHREAD_STACK);
}
