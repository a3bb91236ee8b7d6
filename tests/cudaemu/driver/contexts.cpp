// Init, devices and contexts.
#include "state.h"
#include <cstdio>
#include <cstdlib>
#include <mutex>

bool is_initialized;
CUresult process_fault;
std::set<CUcontext> contexts;
std::set<CUmodule> modules;
std::set<CUstream> streams;
std::set<CUevent> events;

namespace {
std::recursive_mutex mutex;
thread_local std::vector<CUcontext> context_stack;
std::map<CUdevice, CUcontext> primary_contexts;

// "cuMemAlloc_v2" and "cuMemAlloc" are one entry point to who plans a failure.
std::string without_version(const char *function)
{
    std::string name = function;
    const size_t at = name.rfind("_v");
    return at == std::string::npos ? name : name.substr(0, at);
}

CUcontext make_context(CUdevice device, bool is_primary)
{
    CUcontext context = new CUctx_st{device, is_primary, 1, CUDA_SUCCESS, {}, {}};
    contexts.insert(context);
    return context;
}

void destroy(CUcontext context)
{
    finish_all(context);
    free_memory_of(context);
    contexts.erase(context);
    auto forget = [context](auto &all) {
        for (auto i = all.begin(); i != all.end();)
            i = (*i)->context == context ? all.erase(i) : std::next(i);
    };
    forget(modules), forget(streams), forget(events);
}
}  // namespace

CUcontext current_context() { return context_stack.empty() ? nullptr : context_stack.back(); }

bool is_sticky(CUresult error)
{
    return error == 214 || error == 700 || error == 702 || error == 709 || (error >= 714 && error <= 719);
}

void set_fault(CUcontext context, CUresult fault)
{
    context->fault = fault;
    if (fault != CUDA_ERROR_CONTEXT_IS_DESTROYED) process_fault = fault;
}

Entry::Entry(const char *function, Needs needs)
{
    mutex.lock();
    context = current_context();
    error = planned_failure(without_version(function));
    if (error && is_sticky(error) && context) set_fault(context, error);
    if (error) return;
    if (needs >= NEEDS_INIT && !is_initialized) error = CUDA_ERROR_NOT_INITIALIZED;
    if (error || needs < NEEDS_CONTEXT) return;
    if (!context || !contexts.count(context))
        error = CUDA_ERROR_INVALID_CONTEXT;
    else
        error = context->fault ? context->fault : process_fault;
}
Entry::~Entry() { mutex.unlock(); }
CUresult Entry::result() const { return context ? context->fault : CUDA_SUCCESS; }

// ---- init and errors ----------------------------------------------------------------------------

EXPORTED CUresult cuInit(unsigned)
{
    ENTER(NEEDS_NOTHING);
    if (int code = atoi(setting("CUDAEMU_INIT_ERROR", "0"))) return (CUresult)code;
    if (setting_devices() < 1) return CUDA_ERROR_NO_DEVICE;
    is_initialized = true;
    return CUDA_SUCCESS;
}

EXPORTED CUresult cuDriverGetVersion(int *version)
{
    *version = atoi(setting("CUDAEMU_DRIVER_VERSION", "13000"));
    return CUDA_SUCCESS;
}

EXPORTED CUresult cuGetErrorString(CUresult error, const char **text)
{
    static const std::map<int, const char *> texts = {
        {0, "no error"},
        {1, "invalid argument"},
        {2, "out of memory"},
        {3, "initialization error"},
        {4, "driver shutting down"},
        {34, "CUDA driver is a stub library"},
        {35, "CUDA driver version is insufficient for CUDA runtime version"},
        {100, "no CUDA-capable device is detected"},
        {101, "invalid device ordinal"},
        {200, "device kernel image is invalid"},
        {201, "invalid device context"},
        {209, "no kernel image is available for execution on the device"},
        {218, "a PTX JIT compilation failed"},
        {222, "the provided PTX was compiled with an unsupported toolchain."},
        {400, "invalid resource handle"},
        {500, "named symbol not found"},
        {600, "device not ready"},
        {700, "an illegal memory access was encountered"},
        {701, "too many resources requested for launch"},
        {702, "the launch timed out and was terminated"},
        {709, "context is destroyed"},
        {719, "unspecified launch failure"},
        {801, "operation not supported"},
        {802, "system not yet initialized"},
        {803, "system has unsupported display driver / cuda driver combination"},
        {804, "forward compatibility was attempted on non supported HW"},
        {999, "unknown error"},
    };
    const auto found = texts.find(error);
    *text = found == texts.end() ? "unrecognized error code" : found->second;
    return found == texts.end() ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

// NVRTC asks for this wherever it finds a driver, and crashes if it is missing.
EXPORTED CUresult cuGetExportTable(const void **table, const CUuuid *)
{
    *table = nullptr;
    return CUDA_ERROR_NOT_FOUND;
}

// ---- devices ------------------------------------------------------------------------------------

EXPORTED CUresult cuDeviceGetCount(int *count)
{
    ENTER(NEEDS_INIT);
    *count = setting_devices();
    return CUDA_SUCCESS;
}
EXPORTED CUresult cuDeviceGet(CUdevice *device, int number)
{
    ENTER(NEEDS_INIT);
    if (number < 0 || number >= setting_devices()) return CUDA_ERROR_INVALID_DEVICE;
    *device = number;
    return CUDA_SUCCESS;
}
EXPORTED CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    ENTER(NEEDS_INIT);
    snprintf(name, size, "CUDA emulator %d (CPU, tests only)", device);
    return CUDA_SUCCESS;
}
EXPORTED CUresult cuDeviceTotalMem(size_t *bytes, CUdevice)
{
    ENTER(NEEDS_INIT);
    *bytes = setting_total_memory();
    return CUDA_SUCCESS;
}
EXPORTED CUresult cuDeviceGetPCIBusId(char *name, int size, CUdevice device)
{
    ENTER(NEEDS_INIT);
    snprintf(name, size, "0000:%02x:00.0", device);
    return CUDA_SUCCESS;
}
EXPORTED CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice)
{
    ENTER(NEEDS_INIT);
    setting_capability(major, minor);
    return CUDA_SUCCESS;
}
EXPORTED CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice)
{
    ENTER(NEEDS_INIT);
    int major, minor;
    setting_capability(&major, &minor);
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = major; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = minor; break;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE: *value = 32; break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y: *value = 1024; break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z: *value = 64; break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X: *value = 2147483647; break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z: *value = 65535; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *value = 49152; break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 2; break;
    default: *value = 0;
    }
    return CUDA_SUCCESS;
}

// ---- contexts -----------------------------------------------------------------------------------

EXPORTED CUresult cuCtxCreate_v2(CUcontext *context, unsigned, CUdevice device)
{
    ENTER(NEEDS_INIT);
    if (process_fault) return process_fault;
    *context = make_context(device, false);
    context_stack.push_back(*context);
    return CUDA_SUCCESS;
}
#if CUDA_VERSION >= 12050
EXPORTED CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *, unsigned flags, CUdevice device)
{
    return cuCtxCreate_v2(context, flags, device);
}
#endif
EXPORTED CUresult cuCtxDestroy(CUcontext context)
{
    ENTER(NEEDS_INIT);
    if (!contexts.count(context) || context->is_primary) return CUDA_ERROR_INVALID_CONTEXT;
    if (current_context() == context) context_stack.pop_back();
    destroy(context);
    return CUDA_SUCCESS;
}
EXPORTED CUresult cuCtxDetach(CUcontext context) { return cuCtxDestroy(context); }
EXPORTED CUresult cuCtxPushCurrent(CUcontext context)
{
    ENTER(NEEDS_INIT);
    if (!contexts.count(context)) return CUDA_ERROR_INVALID_CONTEXT;
    context_stack.push_back(context);
    return CUDA_SUCCESS;
}
EXPORTED CUresult cuCtxPopCurrent(CUcontext *context)
{
    ENTER(NEEDS_INIT);
    if (context_stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
    *context = context_stack.back();
    context_stack.pop_back();
    return CUDA_SUCCESS;
}
EXPORTED CUresult cuCtxGetDevice(CUdevice *device)
{
    ENTER(NEEDS_INIT);
    if (!entry.context) return CUDA_ERROR_INVALID_CONTEXT;
    *device = entry.context->device;
    return CUDA_SUCCESS;
}
EXPORTED CUresult cuCtxGetApiVersion(CUcontext, unsigned *version)
{
    *version = 3020;
    return CUDA_SUCCESS;
}
EXPORTED CUresult cuCtxSetCacheConfig(CUfunc_cache)
{
    ENTER(NEEDS_CONTEXT);
    return entry.result();
}
EXPORTED CUresult cuCtxSynchronize(void)
{
    ENTER(NEEDS_CONTEXT);
    finish_all(entry.context);
    return entry.result();
}
EXPORTED CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    ENTER(NEEDS_INIT);
    if (process_fault) return process_fault;
    CUcontext &primary = primary_contexts[device];
    if (primary && contexts.count(primary))
        ++primary->n_references;
    else
        primary = make_context(device, true);
    *context = primary;
    return CUDA_SUCCESS;
}
EXPORTED CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    ENTER(NEEDS_INIT);
    CUcontext primary = primary_contexts[device];
    if (!primary || !contexts.count(primary)) return CUDA_ERROR_INVALID_CONTEXT;
    if (--primary->n_references == 0) destroy(primary);
    return CUDA_SUCCESS;
}

// ---- for tests, by ctypes -----------------------------------------------------------------------

// What is still there of a kind: "contexts", "memory" (bytes), "pinned", "modules", "streams", "events"; -1:
// no kind.
EXPORTED long cudaemu_count(const char *kind)
{
    Entry entry("cudaemu_count", NEEDS_NOTHING);
    const std::string name = kind;
    if (name == "contexts") return (long)contexts.size();
    if (name == "memory") return (long)memory_in_use();
    if (name == "modules") return (long)modules.size();
    if (name == "streams") return (long)streams.size();
    if (name == "events") return (long)events.size();
    if (name != "pinned") return -1;
    long n = 0;
    for (CUcontext context : contexts) n += (long)context->pinned.size();
    return n;
}

// What a new process would be: forgets that a fault lost this one. False while a context is alive.
EXPORTED bool cudaemu_restart(void)
{
    Entry entry("cudaemu_restart", NEEDS_NOTHING);
    if (!contexts.empty()) return false;
    process_fault = CUDA_SUCCESS;
    is_initialized = false;
    return true;
}
