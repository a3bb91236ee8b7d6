// What the emulated driver knows: contexts, memory, modules, streams, and what went wrong.
//
// One lock guards all of it, held during a whole call. Handles that were destroyed stay readable (they leak),
// so that a stale one is an error and not a crash.
#pragma once
#include "../kernel_table.h"
#include <cuda.h>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#define EXPORTED extern "C" __attribute__((visibility("default")))

struct CUctx_st {
    CUdevice device;
    bool is_primary;
    int n_references;
    CUresult fault;  // every later call in this context answers it
    std::set<CUdeviceptr> memory;
    std::set<void *> pinned;
};
struct CUmod_st {
    CUcontext context;
    void *library;
    std::map<std::string, CUfunction> functions;
};
struct CUfunc_st {
    CUmodule module;
    CudaEmuKernel kernel;
};
struct CUstream_st {
    CUcontext context;
    bool waits_for_default;  // work on the default stream comes before and after its own
    std::vector<std::function<void()>> waiting;
};
struct CUevent_st {
    CUcontext context;
    double time_ms;
    bool is_recorded;
};

// ---- settings (settings.cpp), read from the environment with every use --------------------------

const char *setting(const char *name, const char *otherwise);
size_t setting_total_memory();
int setting_devices();
void setting_capability(int *major, int *minor);
bool setting_async();
bool setting_fill();
CUresult planned_failure(const std::string &entry);  // of CUDAEMU_FAIL

// ---- one call -----------------------------------------------------------------------------------

enum Needs { NEEDS_NOTHING, NEEDS_INIT, NEEDS_CONTEXT };

// Holds the lock and knows whether the call may go on: `error` is what it has to answer otherwise.
class Entry {
  public:
    Entry(const char *function, Needs needs);
    ~Entry();
    Entry(const Entry &) = delete;
    CUresult result() const;  // success, or the fault of the context that came with this call
    CUresult error = CUDA_SUCCESS;
    CUcontext context = nullptr;
};
#define ENTER(needs)              \
    Entry entry(__func__, needs); \
    if (entry.error) return entry.error

// ---- contexts -----------------------------------------------------------------------------------

extern bool is_initialized;
extern CUresult
    process_fault;  // after a fault in a kernel the process is lost, as cuda.h says of 700 and 719
extern std::set<CUcontext> contexts;
extern std::set<CUmodule> modules;
extern std::set<CUstream> streams;
extern std::set<CUevent> events;
CUcontext current_context();
// A fault that stays: 709 loses the context, all others the process.
void set_fault(CUcontext context, CUresult fault);
bool is_sticky(CUresult error);

// ---- memory (memory.cpp) ------------------------------------------------------------------------

bool is_device_memory(CUdeviceptr address, size_t bytes);
bool is_intact(CUdeviceptr address);  // nobody wrote just before or just behind the allocation that holds it
size_t memory_in_use();
void free_memory_of(CUcontext context);

// ---- streams (streams.cpp) ----------------------------------------------------------------------

// Runs work now, or with CUDAEMU_ASYNC=1 when somebody waits for the stream. NULL is the default stream.
void enqueue(CUcontext context, CUstream stream, std::function<void()> work);
void finish(CUstream stream);
void finish_all(CUcontext context);
