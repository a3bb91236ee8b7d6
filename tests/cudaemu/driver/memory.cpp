// Device memory, pinned memory, copies.
//
// Each allocation is a mapping of its own, starts as NaN, and lies between pages that trap: it ends where
// they begin. What lies between the first ones and the allocation, and between its end and the next 16 bytes,
// is looked at after each launch.
#include "state.h"
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace {
const size_t PAGE = 4096, ALIGNMENT = 16, TRAP = 1 << 20;
const unsigned char EDGE = 0xff;

struct Allocation {
    size_t bytes, mapped;
    char *map;
};
std::map<CUdeviceptr, Allocation> allocations;
size_t bytes_in_use;

const std::pair<const CUdeviceptr, Allocation> *find(CUdeviceptr address)
{
    auto after = allocations.upper_bound(address);
    return after == allocations.begin() ? nullptr : &*std::prev(after);
}

void release(CUdeviceptr address)
{
    const Allocation &allocation = allocations.at(address);
    bytes_in_use -= allocation.bytes;
    munmap(allocation.map, allocation.mapped);
    allocations.erase(address);
}

bool is_edge(const char *begin, const char *end)
{
    for (; begin < end; ++begin)
        if ((unsigned char)*begin != EDGE) return false;
    return true;
}
}  // namespace

bool is_device_memory(CUdeviceptr address, size_t bytes)
{
    const auto *found = find(address);
    return found && address + bytes <= found->first + found->second.bytes;
}

bool is_intact(CUdeviceptr address)
{
    const auto *found = find(address);
    const char *begin = (char *)found->first, *end = begin + found->second.bytes;
    const char *trap = found->second.map + found->second.mapped - TRAP;
    return is_edge(found->second.map + TRAP, begin) && is_edge(end, trap);
}

size_t memory_in_use() { return bytes_in_use; }

void free_memory_of(CUcontext context)
{
    for (CUdeviceptr address : context->memory) release(address);
    for (void *memory : context->pinned) free(memory);
    context->memory.clear();
    context->pinned.clear();
}

// ---- device memory ------------------------------------------------------------------------------

EXPORTED CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes)
{
    ENTER(NEEDS_CONTEXT);
    if (!bytes) return CUDA_ERROR_INVALID_VALUE;
    if (bytes_in_use + bytes > setting_total_memory()) return CUDA_ERROR_OUT_OF_MEMORY;
    const size_t pages = (bytes + PAGE - 1) / PAGE * PAGE, mapped = pages + 2 * TRAP;
    char *map = (char *)mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
    char *trap = map + TRAP + pages, *begin = trap - (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    mprotect(map + TRAP, pages, PROT_READ | PROT_WRITE);
    memset(map + TRAP, EDGE, begin - (map + TRAP));
    memset(begin + bytes, EDGE, trap - (begin + bytes));
    if (setting_fill()) memset(begin, 0xff, bytes);  // every float is a NaN until it is written
    *address = (CUdeviceptr)begin;
    bytes_in_use += bytes;
    allocations[*address] = {bytes, mapped, map};
    entry.context->memory.insert(*address);
    return entry.result();
}
EXPORTED CUresult cuMemAllocPitch(CUdeviceptr *address, size_t *pitch, size_t width, size_t height, unsigned)
{
    *pitch = (width + 511) / 512 * 512;
    return cuMemAlloc(address, *pitch * height);
}
EXPORTED CUresult cuMemFree(CUdeviceptr address)
{
    ENTER(NEEDS_CONTEXT);
    finish_all(entry.context);
    if (!entry.context->memory.erase(address)) return CUDA_ERROR_INVALID_VALUE;
    release(address);
    return entry.result();
}
EXPORTED CUresult cuMemGetInfo(size_t *free_bytes, size_t *total)
{
    ENTER(NEEDS_CONTEXT);
    *total = setting_total_memory();
    *free_bytes = *total - std::min(bytes_in_use, *total);
    return entry.result();
}
EXPORTED CUresult cuMemGetAddressRange(CUdeviceptr *begin, size_t *bytes, CUdeviceptr address)
{
    ENTER(NEEDS_CONTEXT);
    if (!is_device_memory(address, 1)) return CUDA_ERROR_INVALID_VALUE;
    if (begin) *begin = find(address)->first;
    if (bytes) *bytes = find(address)->second.bytes;
    return entry.result();
}

// ---- pinned memory ------------------------------------------------------------------------------

EXPORTED CUresult cuMemHostAlloc(void **address, size_t bytes, unsigned)
{
    ENTER(NEEDS_CONTEXT);
    *address = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
    if (!*address) return CUDA_ERROR_OUT_OF_MEMORY;
    memset(*address, 0xff, bytes);
    entry.context->pinned.insert(*address);
    return entry.result();
}
EXPORTED CUresult cuMemFreeHost(void *address)
{
    ENTER(NEEDS_CONTEXT);
    finish_all(entry.context);
    if (!entry.context->pinned.erase(address)) return CUDA_ERROR_INVALID_VALUE;
    free(address);
    return entry.result();
}

// ---- copies -------------------------------------------------------------------------------------

namespace {
// A side of a copy that lies on the device has to lie in one allocation.
CUresult copy(const Entry &entry, void *to, const void *from, size_t bytes, bool to_device, bool from_device,
              CUstream stream)
{
    if (to_device && !is_device_memory((CUdeviceptr)to, bytes)) return CUDA_ERROR_INVALID_VALUE;
    if (from_device && !is_device_memory((CUdeviceptr)from, bytes)) return CUDA_ERROR_INVALID_VALUE;
    CUcontext context = entry.context;
    enqueue(context, stream, [=] {
        if (!context->fault) memmove(to, from, bytes);
    });
    return entry.result();
}

CUresult copy_2d(const Entry &entry, const CUDA_MEMCPY2D &plan, CUstream stream)
{
    struct Side {
        char *first;
        size_t pitch;
        bool is_device;
    };
    auto side = [&](CUmemorytype kind, CUdeviceptr device, const void *host, size_t pitch, size_t x,
                    size_t y) {
        const bool is_device = kind != CU_MEMORYTYPE_HOST;
        const size_t step = pitch ? pitch : plan.WidthInBytes;
        char *base = is_device ? (char *)device : (char *)host;
        return Side{base + y * step + x, step, is_device};
    };
    const Side from =
        side(plan.srcMemoryType, plan.srcDevice, plan.srcHost, plan.srcPitch, plan.srcXInBytes, plan.srcY);
    const Side to =
        side(plan.dstMemoryType, plan.dstDevice, plan.dstHost, plan.dstPitch, plan.dstXInBytes, plan.dstY);
    if (plan.srcMemoryType == CU_MEMORYTYPE_ARRAY || plan.dstMemoryType == CU_MEMORYTYPE_ARRAY)
        return CUDA_ERROR_NOT_SUPPORTED;
    const size_t width = plan.WidthInBytes, height = plan.Height;
    if (!width || !height) return entry.result();
    for (const Side &one : {from, to}) {
        if (width > one.pitch) return CUDA_ERROR_INVALID_VALUE;
        if (one.is_device && !is_device_memory((CUdeviceptr)one.first, (height - 1) * one.pitch + width))
            return CUDA_ERROR_INVALID_VALUE;
    }
    CUcontext context = entry.context;
    enqueue(context, stream, [=] {
        if (context->fault) return;
        for (size_t row = 0; row < height; ++row)
            memmove(to.first + row * to.pitch, from.first + row * from.pitch, width);
    });
    return entry.result();
}

template <class T>
CUresult set(const Entry &entry, CUdeviceptr to, T value, size_t count, CUstream stream)
{
    if (!is_device_memory(to, count * sizeof(T))) return CUDA_ERROR_INVALID_VALUE;
    CUcontext context = entry.context;
    enqueue(context, stream, [=] {
        if (!context->fault) std::fill_n((T *)to, count, value);
    });
    return entry.result();
}
}  // namespace

EXPORTED CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes)
{
    ENTER(NEEDS_CONTEXT);
    return copy(entry, (void *)to, from, bytes, true, false, nullptr);
}
EXPORTED CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes)
{
    ENTER(NEEDS_CONTEXT);
    return copy(entry, to, (void *)from, bytes, false, true, nullptr);
}
EXPORTED CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    ENTER(NEEDS_CONTEXT);
    return copy(entry, (void *)to, (void *)from, bytes, true, true, nullptr);
}
EXPORTED CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    ENTER(NEEDS_CONTEXT);
    return copy(entry, (void *)to, from, bytes, true, false, stream);
}
EXPORTED CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    ENTER(NEEDS_CONTEXT);
    return copy(entry, to, (void *)from, bytes, false, true, stream);
}
EXPORTED CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    ENTER(NEEDS_CONTEXT);
    return copy(entry, (void *)to, (void *)from, bytes, true, true, stream);
}
EXPORTED CUresult cuMemcpy2D(const CUDA_MEMCPY2D *plan)
{
    ENTER(NEEDS_CONTEXT);
    return copy_2d(entry, *plan, nullptr);
}
EXPORTED CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *plan)
{
    ENTER(NEEDS_CONTEXT);
    return copy_2d(entry, *plan, nullptr);
}
EXPORTED CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *plan, CUstream stream)
{
    ENTER(NEEDS_CONTEXT);
    return copy_2d(entry, *plan, stream);
}
EXPORTED CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count)
{
    ENTER(NEEDS_CONTEXT);
    return set(entry, to, value, count, nullptr);
}
EXPORTED CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream)
{
    ENTER(NEEDS_CONTEXT);
    return set(entry, to, value, count, stream);
}
EXPORTED CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count)
{
    ENTER(NEEDS_CONTEXT);
    return set(entry, to, value, count, nullptr);
}
EXPORTED CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream)
{
    ENTER(NEEDS_CONTEXT);
    return set(entry, to, value, count, stream);
}
