/* reactions.h: reactions of loops with redundant rows, made unique.
 *
 * Redundant rows leave self-stress fields in the reactions. The field of row r is what
 * all joints of the loop answer to a unit load along r: n_r = e_r - y. Reported is the
 * set of least sum |force|² + |moment|²/bearing length² among all that balance the
 * motion: lambda - N (N'W N)^-1 N'W lambda, over tree and cut joints alike.
 * RT context, wait-free; one back-substitution per redundant row. */
#ifndef REACTIONS_H
#define REACTIONS_H

#include "rt/solve/evaluate.h"

/* Fill ws->reaction. Needs: the factor at the final configuration, lambda_k, kappa_k,
 * ws->wrench. Uses f, dp, e, y. */
void reactions_find(const struct evaluation *ev);

#endif
