/* password.h: a password from the terminal, unseen, or from a pipe. SERVICE context. */
#ifndef PASSWORD_H
#define PASSWORD_H

enum { PASSWORD_MOST = 256 };

/* Read a line into text. Returns 0 at the end of the input. Blocks on the terminal. */
int password_ask(char text[PASSWORD_MOST]);

/* Where a program gets it without asking: the first line of a file (NULL: none), which
 * nobody else may read, else $TRAPEZE_PASSWORD. Returns 1, 0 where there is none, -1 after
 * a sentence on stderr. */
int password_given(const char *file, char text[PASSWORD_MOST]);

#endif
