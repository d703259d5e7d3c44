/* The ring without its second look: for the hammer test, which must find it torn. */
#define RING_RECHECK 0
#define ring_memsize unchecked_memsize
#define ring_init unchecked_init
#define ring_publish unchecked_publish
#define ring_clear unchecked_clear
#define ring_head unchecked_head
#define ring_read unchecked_read
#define ring_latest unchecked_latest
#define ring_next unchecked_next
#include "rt/link/ring.c"
