#include "services/cli/processor.h"

#ifdef __AVX2__
const int PROCESSOR_NEEDS_AVX2 = 1;
#else
const int PROCESSOR_NEEDS_AVX2 = 0;
#endif

#ifdef __FMA__
const int PROCESSOR_NEEDS_FMA = 1;
#else
const int PROCESSOR_NEEDS_FMA = 0;
#endif

#ifdef __AVX512F__
const int PROCESSOR_NEEDS_AVX512 = 1;
#else
const int PROCESSOR_NEEDS_AVX512 = 0;
#endif
