/* ask.h: a question at the terminal. SERVICE context. */
#ifndef ASK_H
#define ASK_H

/* Ask a question that is answered by y or n (anything but y or yes is no). Returns 1, 0, or
 * -1 where nobody sits at a terminal to answer it. Blocks on the terminal. */
int ask_yes(const char *question);

#endif
