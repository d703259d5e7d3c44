/* The ring without its mark: for the hammer test, which must find it torn. */
#define RING_MARK 0
#define ring_memsize unmarked_memsize
#define ring_init unmarked_init
#define ring_publish unmarked_publish
#define ring_clear unmarked_clear
#define ring_head unmarked_head
#define ring_read unmarked_read
#define ring_latest unmarked_latest
#define ring_next unmarked_next
#include "rt/link/ring.c"
