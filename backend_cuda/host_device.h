// Marks a function that the GPU runs and a test on the host can run too. Without nvcc it is an ordinary function.
#pragma once

#ifdef __CUDACC__
#define MYOPS_HD __host__ __device__
#else
#define MYOPS_HD
#endif
