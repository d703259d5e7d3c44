/* processor.h: what the rest of the program was compiled for. main.c itself is compiled
 * for any processor, so that it can say so in a sentence. Data only. */
#ifndef PROCESSOR_H
#define PROCESSOR_H

extern const int PROCESSOR_NEEDS_AVX2, PROCESSOR_NEEDS_FMA, PROCESSOR_NEEDS_AVX512;

#endif
