/* rtsafe.h: last include of every .c file under rt/. From here on the names of
 * calls that allocate, print, lock or leave are errors of the compiler.
 * tools/rtcheck verifies the same on the object files. No include guard: it
 * holds nothing but the poison. */
#undef alloca
#pragma GCC poison malloc calloc realloc free alloca strdup asprintf vasprintf
#pragma GCC poison printf fprintf vprintf vfprintf puts fputs putchar perror
#pragma GCC poison fopen fclose fread fwrite fflush open close read write ioctl
#pragma GCC poison exit abort longjmp system fork popen
#pragma GCC poison pthread_mutex_lock pthread_cond_wait sem_wait
#pragma GCC poison usleep sleep nanosleep
