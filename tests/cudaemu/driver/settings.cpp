// The settings of the emulator: README.md lists them.
#include "state.h"
#include <cstdio>
#include <cstdlib>

const char *setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

size_t setting_total_memory() { return strtoull(setting("CUDAEMU_TOTAL_MEM", "8589934592"), nullptr, 10); }
int setting_devices()
{
    const char *visible =
        getenv("CUDA_VISIBLE_DEVICES");  // set and empty hides every device, as with a real driver
    if (visible && (!*visible || *visible == '-')) return 0;
    return atoi(setting("CUDAEMU_DEVICES", "1"));
}
void setting_capability(int *major, int *minor)
{
    if (sscanf(setting("CUDAEMU_CC", "8.6"), "%d.%d", major, minor) != 2) *major = 8, *minor = 6;
}
bool setting_async() { return *setting("CUDAEMU_ASYNC", "0") == '1'; }
bool setting_fill() { return *setting("CUDAEMU_FILL", "1") == '1'; }

// ENTRY:N:CODE[,...]: the N-th call of an entry point, or launch of a kernel, fails with that code; N+ means
// from the N-th on. Calls are counted from when the plan was set.
CUresult planned_failure(const std::string &entry)
{
    static std::map<std::string, int> calls;
    static std::string plan;
    const std::string now = setting("CUDAEMU_FAIL", "");
    if (now != plan) {
        calls.clear();
        plan = now;
    }
    const int call = ++calls[entry];
    if (getenv("CUDAEMU_TRACE")) fprintf(stderr, "cudaemu: %s #%d\n", entry.c_str(), call);
    for (size_t begin = 0; begin < plan.size();) {
        const size_t end = std::min(plan.find(',', begin), plan.size());
        char name[64], plus = 0;
        int nth, code;
        const std::string part = plan.substr(begin, end - begin);
        const bool is_read =
            sscanf(part.c_str(), "%63[^:]:%d:%d", name, &nth, &code) == 3 ||
            (sscanf(part.c_str(), "%63[^:]:%d%c:%d", name, &nth, &plus, &code) == 4 && plus == '+');
        if (!is_read) fprintf(stderr, "cudaemu: CUDAEMU_FAIL is no plan: %s\n", part.c_str());
        if (is_read && entry == name && (call == nth || (plus && call > nth))) return (CUresult)code;
        begin = end + 1;
    }
    return CUDA_SUCCESS;
}
