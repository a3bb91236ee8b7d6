// How a compiled kernel is found and called: its name, where its parameters lie in the packed bytes that a
// launch hands over, and its static shared memory. nvcc.py writes the table behind the text of the kernels.
#pragma once
#include <cstddef>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

struct CudaEmuKernel {
    const char *name;
    size_t parameter_bytes;
    int n_parameters;
    const size_t *offsets, *sizes;
    const bool *is_pointer;
    void (*call)(const unsigned char *parameters);
    char *shared, *shared_end;  // static shared memory; both NULL where it has none
    unsigned max_threads;       // of __launch_bounds__, else 1024
};

// The layout that CUDA gives parameters: each at the next multiple of its own alignment.
template <class... Parameters>
struct CudaEmuLayout {
    static constexpr int n = sizeof...(Parameters);
    static constexpr size_t sizes[n + 1] = {sizeof(Parameters)..., 0};
    static constexpr size_t alignments[n + 1] = {alignof(Parameters)..., 1};
    static constexpr bool is_pointer[n + 1] = {std::is_pointer<Parameters>::value..., false};
    struct Places {
        size_t offsets[n + 1], total;
    };
    static constexpr Places find_places()
    {
        Places places{};
        size_t end = 0;
        for (int i = 0; i < n; ++i) {
            places.offsets[i] = (end + alignments[i] - 1) / alignments[i] * alignments[i];
            end = places.offsets[i] + sizes[i];
        }
        places.total = end;
        return places;
    }
    static constexpr Places places = find_places();
};

template <auto function>
struct CudaEmuCall;
template <class... Parameters, void (*function)(Parameters...)>
struct CudaEmuCall<function> {
    using Layout = CudaEmuLayout<Parameters...>;

    template <size_t... I>
    static void unpack_and_call(const unsigned char *bytes, std::index_sequence<I...>)
    {
        std::tuple<std::remove_cv_t<Parameters>...> values;
        (std::memcpy((void *)&std::get<I>(values), bytes + Layout::places.offsets[I], Layout::sizes[I]), ...);
        function(std::get<I>(values)...);
    }
    static void call(const unsigned char *bytes)
    {
        unpack_and_call(bytes, std::make_index_sequence<sizeof...(Parameters)>());
    }
    static CudaEmuKernel describe(const char *name, char *shared, char *shared_end, unsigned max_threads)
    {
        return {name,          Layout::places.total, Layout::n, Layout::places.offsets,
                Layout::sizes, Layout::is_pointer,   &call,     shared,
                shared_end,    max_threads};
    }
};

// The linker defines __start_SECTION and __stop_SECTION; weak, since a kernel may have no shared memory.
#define CUDAEMU_SECTION(kernel)                                                                    \
    extern "C" __attribute__((weak, visibility("hidden"))) char __start_cudaemu_shared_##kernel[]; \
    extern "C" __attribute__((weak, visibility("hidden"))) char __stop_cudaemu_shared_##kernel[];
#define CUDAEMU_TABLE_BEGIN                                                               \
    extern "C" __attribute__((visibility("default"))) CudaEmuKernel cudaemu_kernel(int i) \
    {                                                                                     \
        switch (i) {
#define CUDAEMU_ENTRY(i, kernel, max_threads)                                           \
    case i:                                                                             \
        return CudaEmuCall<&kernel>::describe(#kernel, __start_cudaemu_shared_##kernel, \
                                              __stop_cudaemu_shared_##kernel, max_threads);
#define CUDAEMU_TABLE_END \
    default: return {};   \
        }                 \
        }
