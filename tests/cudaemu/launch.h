// Runs one launch of a kernel on the CPU, to its end.
#pragma once
#include "kernel_table.h"

enum {  // the error codes of CUDA
    LAUNCH_OK = 0,
    LAUNCH_FAULT = 700,     // read or wrote where nothing is
    LAUNCH_DEADLOCK = 702,  // a GPU would wait until its watchdog ends the kernel
    LAUNCH_BAD_SYNC =
        719,  // a barrier that not all threads reach, or a warp primitive that excludes its caller
};

// `catch_faults` is false under a sanitizer, which reports them itself.
int cudaemu_launch(const CudaEmuKernel &kernel, const unsigned char *parameters, const unsigned grid[3],
                   const unsigned block[3], size_t dynamic_shared_bytes, bool catch_faults);

// What went wrong in the last launch: one sentence, with lines of the kernel's file.
const char *cudaemu_launch_error();
