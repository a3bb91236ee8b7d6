// Runs a plan of launches, read from standard input, over kernels that are linked with it under a sanitizer.
// Each buffer is an allocation of its own, so that the sanitizer knows where it ends. One line each:
//
//     buffer NAME BYTES          all bytes set: every float is a NaN
//     sparse NAME BYTES          zeros, of which only touched pages exist
//     read NAME FILE             fills a buffer from a file of its size
//     write NAME FILE
//     launch KERNEL GRID BLOCK ARGUMENT...     GRID and BLOCK are X,Y,Z
//
// An argument is p:NAME, p:NULL, i:INT or f:FLOAT. Exit code: 0, 1 for a launch that failed, 2 for a bad
// plan, or the sanitizer's own.
#include "launch.h"
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <vector>

extern "C" CudaEmuKernel cudaemu_kernel(int);

namespace {
struct Buffer {
    char *begin = nullptr;
    size_t bytes = 0;
};
std::map<std::string, Buffer> buffers;

[[noreturn]] void bad_plan(const std::string &what)
{
    fprintf(stderr, "plan_runner: %s\n", what.c_str());
    exit(2);
}

Buffer &buffer(const std::string &name)
{
    if (!buffers.count(name)) bad_plan("no buffer " + name);
    return buffers[name];
}

CudaEmuKernel find_kernel(const std::string &name)
{
    for (int i = 0; cudaemu_kernel(i).name; ++i)
        if (name == cudaemu_kernel(i).name) return cudaemu_kernel(i);
    bad_plan("no kernel " + name);
}

void pack(unsigned char *to, const std::string &argument, size_t size)
{
    const std::string value = argument.substr(2);
    char *address = nullptr;
    int integer = atoi(value.c_str());
    float number = strtof(value.c_str(), nullptr);
    if (argument[0] == 'p' && value != "NULL") address = buffer(value).begin;
    const void *from = argument[0] == 'p'   ? (void *)&address
                       : argument[0] == 'i' ? (void *)&integer
                                            : &number;
    if (size != (argument[0] == 'p' ? sizeof address : sizeof integer)) bad_plan("wrong kind: " + argument);
    memcpy(to, from, size);
}

void launch(std::istringstream &line)
{
    std::string name, grid_text, block_text, argument;
    line >> name >> grid_text >> block_text;
    const CudaEmuKernel kernel = find_kernel(name);
    unsigned grid[3], block[3];
    if (sscanf(grid_text.c_str(), "%u,%u,%u", grid, grid + 1, grid + 2) != 3) bad_plan("grid " + grid_text);
    if (sscanf(block_text.c_str(), "%u,%u,%u", block, block + 1, block + 2) != 3)
        bad_plan("block " + block_text);
    std::vector<unsigned char> parameters(kernel.parameter_bytes);
    int n = 0;
    for (; line >> argument; ++n) {
        if (n == kernel.n_parameters) bad_plan(name + " takes fewer arguments");
        pack(&parameters[kernel.offsets[n]], argument, kernel.sizes[n]);
    }
    if (n != kernel.n_parameters) bad_plan(name + " takes more arguments");
    if (int code = cudaemu_launch(kernel, parameters.data(), grid, block, 0, false)) {
        fprintf(stderr, "%s: error %d: %s\n", kernel.name, code, cudaemu_launch_error());
        exit(1);
    }
}
}  // namespace

int main()
{
    std::string text, word, name, file;
    size_t bytes;
    while (std::getline(std::cin, text)) {
        std::istringstream line(text);
        line >> word;
        if (word == "launch") {
            launch(line);
        } else if (word == "buffer" && line >> name >> bytes) {
            buffers[name] = {(char *)malloc(bytes), bytes};
            memset(buffers[name].begin, 0xff, bytes);
        } else if (word == "sparse" && line >> name >> bytes) {
            void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (memory == MAP_FAILED) bad_plan("no room for " + name);
            buffers[name] = {(char *)memory, bytes};
        } else if (word == "read" && line >> name >> file) {
            if (!std::ifstream(file, std::ios::binary).read(buffer(name).begin, buffer(name).bytes))
                bad_plan(file);
        } else if (word == "write" && line >> name >> file) {
            std::ofstream(file, std::ios::binary).write(buffer(name).begin, buffer(name).bytes);
        } else {
            bad_plan(text);
        }
    }
    return 0;
}
