// Modules and launches. An image is what nvcc.py writes: magic, architecture, size, checksum, shared library.
#include "../launch.h"
#include "state.h"
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {
const size_t MAX_SHARED = 49152;
const unsigned MAX_BLOCK_Z = 64, MAX_GRID_YZ = 65535;

struct Header {
    char magic[8];
    uint64_t architecture, bytes, checksum;
};

// A damaged image may say that it is longer than the memory that holds it: this copies and never faults.
bool read_safely(void *to, const void *from, size_t bytes)
{
    iovec local = {to, bytes}, remote = {(void *)from, bytes};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)bytes;
}

uint64_t checksum(std::vector<char> code)
{
    code.resize((code.size() + 7) / 8 * 8);
    uint64_t sum = 0, word;
    for (size_t i = 0; i < code.size(); i += 8) {
        memcpy(&word, &code[i], 8);
        sum += word;
    }
    return sum;
}

// The code of an image, or why a driver refuses it.
CUresult read_image(const void *image, std::vector<char> &code)
{
    Header header;
    if (!read_safely(&header, image, sizeof header)) return CUDA_ERROR_INVALID_IMAGE;
    if (!memcmp(header.magic, "\177ELF", 4)) return CUDA_ERROR_NO_BINARY_FOR_GPU;  // made for a real GPU
    if (memcmp(header.magic, "CUDAEMU1", 8)) return CUDA_ERROR_INVALID_IMAGE;
    if (header.bytes > 1 << 28) return CUDA_ERROR_INVALID_IMAGE;
    code.resize(header.bytes);
    if (!read_safely(code.data(), (const Header *)image + 1, code.size())) return CUDA_ERROR_INVALID_IMAGE;
    if (checksum(code) != header.checksum) return CUDA_ERROR_INVALID_IMAGE;
    int major, minor;  // a cubin runs on its own major version, from its minor one on
    setting_capability(&major, &minor);
    const int made_for = (int)header.architecture;
    if (made_for / 10 != major || made_for % 10 > minor) return CUDA_ERROR_NO_BINARY_FOR_GPU;
    return CUDA_SUCCESS;
}

void *load_library(const std::vector<char> &code)
{
    // PyCUDA loads this driver for itself alone; the kernel needs to see launch.cpp in it.
    Dl_info own;
    dladdr((void *)&cuInit, &own);
    dlopen(own.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    const int file = memfd_create("cudaemu", 0);
    if (file < 0) return nullptr;
    // The loader takes what it once loaded under the same name, and numbers of files come again: the name is
    // spelt in another way each time.
    static unsigned loaded = 0;
    std::string name = "/proc/self/fd/";
    for (unsigned bits = ++loaded; bits; bits /= 2) name += bits % 2 ? "./" : "/";
    name += std::to_string(file);
    void *library = nullptr;
    if (write(file, code.data(), code.size()) == (ssize_t)code.size())
        library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) fprintf(stderr, "cudaemu: %s\n", dlerror());
    close(file);
    return library;
}
}  // namespace

// ---- modules ------------------------------------------------------------------------------------

EXPORTED CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned n_options,
                                     CUjit_option *options, void **values)
{
    for (unsigned i = 0; i < n_options; ++i)  // the logs are empty
        if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES ||
            options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
            values[i] = nullptr;
    ENTER(NEEDS_CONTEXT);
    std::vector<char> code;
    if (CUresult error = read_image(image, code)) return error;
    void *library = load_library(code);
    if (!library) return CUDA_ERROR_INVALID_IMAGE;
    *module = new CUmod_st{entry.context, library, {}};
    const auto kernel_at = (CudaEmuKernel (*)(int))dlsym(library, "cudaemu_kernel");
    for (int i = 0; kernel_at(i).name; ++i)
        (*module)->functions[kernel_at(i).name] = new CUfunc_st{*module, kernel_at(i)};
    modules.insert(*module);
    return entry.result();
}
EXPORTED CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
EXPORTED CUresult cuModuleUnload(CUmodule module)
{
    ENTER(NEEDS_CONTEXT);
    finish_all(entry.context);
    if (!modules.erase(module)) return CUDA_ERROR_INVALID_HANDLE;
    dlclose(module->library);
    return entry.result();
}
EXPORTED CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    ENTER(NEEDS_CONTEXT);
    const auto found = module->functions.find(name);
    if (found == module->functions.end()) return CUDA_ERROR_NOT_FOUND;
    *function = found->second;
    return entry.result();
}

// ---- functions ----------------------------------------------------------------------------------

EXPORTED CUresult cuFuncSetBlockShape(CUfunction, int, int, int)
{
    ENTER(NEEDS_CONTEXT);
    return entry.result();
}
EXPORTED CUresult cuFuncSetCacheConfig(CUfunction, CUfunc_cache)
{
    ENTER(NEEDS_CONTEXT);
    return entry.result();
}
EXPORTED CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int)
{
    ENTER(NEEDS_CONTEXT);
    return entry.result();
}
EXPORTED CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    ENTER(NEEDS_CONTEXT);
    const CudaEmuKernel &kernel = function->kernel;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = (int)kernel.max_threads; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)(kernel.shared_end - kernel.shared); break;
    default: *value = 0;
    }
    return entry.result();
}

// ---- launches -----------------------------------------------------------------------------------

namespace {
// The bytes of the parameters, from either way that cuLaunchKernel takes them; empty where they do not fit.
std::vector<unsigned char> pack(const CudaEmuKernel &kernel, void **parameters, void **extra)
{
    std::vector<unsigned char> bytes(kernel.parameter_bytes);
    if (!extra) {
        for (int i = 0; i < kernel.n_parameters; ++i)
            memcpy(&bytes[kernel.offsets[i]], parameters[i], kernel.sizes[i]);
        return bytes;
    }
    const void *buffer = nullptr;
    size_t size = 0;
    for (void **option = extra; *option != CU_LAUNCH_PARAM_END; option += 2) {
        if (*option == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = option[1];
        if (*option == CU_LAUNCH_PARAM_BUFFER_SIZE) size = *(size_t *)option[1];
    }
    if (size != bytes.size()) {
        fprintf(stderr, "cudaemu: %s takes %zu bytes of parameters, got %zu\n", kernel.name, bytes.size(),
                size);
        return {};
    }
    memcpy(bytes.data(), buffer, size);
    return bytes;
}

std::vector<CUdeviceptr> pointers_in(const CudaEmuKernel &kernel,
                                     const std::vector<unsigned char> &parameters)
{
    std::vector<CUdeviceptr> pointers;
    for (int i = 0; i < kernel.n_parameters; ++i) {
        CUdeviceptr pointer = 0;
        if (kernel.is_pointer[i]) memcpy(&pointer, &parameters[kernel.offsets[i]], sizeof pointer);
        if (pointer) pointers.push_back(pointer);
    }
    return pointers;
}

void run(CUcontext context, const CudaEmuKernel &kernel, const std::vector<unsigned char> &parameters,
         const unsigned grid[3], const unsigned block[3], unsigned shared_bytes, CUresult planned)
{
    if (context->fault) return;
    if (planned) {
        set_fault(context, planned);
        return;
    }
    const auto pointers = pointers_in(kernel, parameters);
    for (CUdeviceptr pointer : pointers)
        if (!is_device_memory(pointer, 1)) {
            fprintf(stderr, "cudaemu: %s: %p is no device memory\n", kernel.name, (void *)pointer);
            set_fault(context, CUDA_ERROR_ILLEGAL_ADDRESS);
            return;
        }
    if (int code = cudaemu_launch(kernel, parameters.data(), grid, block, shared_bytes, true)) {
        fprintf(stderr, "cudaemu: %s: %s\n", kernel.name, cudaemu_launch_error());
        set_fault(context, (CUresult)code);
        return;
    }
    for (CUdeviceptr pointer : pointers)
        if (!is_intact(pointer)) {
            fprintf(stderr, "cudaemu: %s: wrote just outside the memory at %p\n", kernel.name,
                    (void *)pointer);
            set_fault(context, CUDA_ERROR_ILLEGAL_ADDRESS);
        }
}
}  // namespace

// As on a GPU a launch answers success, and what went wrong in the kernel shows in a later call. A failure that
// leaves the process sound, such as too little memory for its threads, is the launch's own, and nothing runs.
EXPORTED CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                 CUstream stream, void **parameters, void **extra)
{
    ENTER(NEEDS_CONTEXT);
    if (!modules.count(function->module)) return CUDA_ERROR_INVALID_HANDLE;
    const CudaEmuKernel &kernel = function->kernel;
    if (!grid_x || !grid_y || !grid_z || grid_x > INT32_MAX || grid_y > MAX_GRID_YZ || grid_z > MAX_GRID_YZ)
        return CUDA_ERROR_INVALID_VALUE;
    const size_t n_threads = (size_t)block_x * block_y * block_z;
    if (!n_threads || n_threads > 1024 || block_z > MAX_BLOCK_Z) return CUDA_ERROR_INVALID_VALUE;
    if (shared_bytes + (size_t)(kernel.shared_end - kernel.shared) > MAX_SHARED)
        return CUDA_ERROR_INVALID_VALUE;
    if (n_threads > kernel.max_threads) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    const auto bytes = pack(kernel, parameters, extra);
    if (bytes.size() != kernel.parameter_bytes) return CUDA_ERROR_INVALID_VALUE;
    CUcontext context = entry.context;
    const CUresult planned = planned_failure(kernel.name);
    if (planned && !is_sticky(planned)) return planned;
    enqueue(context, stream, [=] {
        const unsigned grid[3] = {grid_x, grid_y, grid_z}, block[3] = {block_x, block_y, block_z};
        run(context, function->kernel, bytes, grid, block, shared_bytes, planned);
    });
    return CUDA_SUCCESS;
}
