/* sd_notify.h: tell the service manager that started us how we are: ready, alive, ending.
 * The protocol of sd_notify: one datagram to the socket named by SD_NOTIFY_SOCKET; silent
 * where there is none. SERVICE context; never blocks. */
#ifndef SD_NOTIFY_H
#define SD_NOTIFY_H

/* Send a state like "READY=1" or "WATCHDOG=1". Returns 1 if it was sent. */
int sd_notify_send(const char *state);

#endif
