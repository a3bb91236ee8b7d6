// Streams and events. With CUDAEMU_ASYNC=1 the work of a stream is done as late as CUDA allows: when somebody
// waits for it. What reads a result too early, or overwrites a buffer too early, then gets it wrong every
// time.
#include "state.h"
#include <chrono>

namespace {
double now_ms()
{
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}
void finish_default(CUcontext context)
{
    for (CUstream stream : streams)
        if (stream->context == context && stream->waits_for_default) finish(stream);
}
}  // namespace

void finish(CUstream stream)
{
    const auto work = std::move(stream->waiting);
    stream->waiting.clear();
    for (const auto &one : work) one();
}

void finish_all(CUcontext context)
{
    for (CUstream stream : streams)
        if (stream->context == context) finish(stream);
}

void enqueue(CUcontext context, CUstream stream, std::function<void()> work)
{
    if (!stream) finish_default(context);
    if (stream && setting_async())
        stream->waiting.push_back(std::move(work));
    else
        work();
}

// ---- streams ------------------------------------------------------------------------------------

EXPORTED CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    ENTER(NEEDS_CONTEXT);
    *stream = new CUstream_st{entry.context, !(flags & CU_STREAM_NON_BLOCKING), {}};
    streams.insert(*stream);
    return entry.result();
}
EXPORTED CUresult cuStreamDestroy(CUstream stream)
{
    ENTER(NEEDS_CONTEXT);
    if (!streams.count(stream)) return CUDA_ERROR_INVALID_HANDLE;
    finish(stream);
    streams.erase(stream);
    return entry.result();
}
EXPORTED CUresult cuStreamSynchronize(CUstream stream)
{
    ENTER(NEEDS_CONTEXT);
    if (!stream)
        finish_all(entry.context);
    else if (!streams.count(stream))
        return CUDA_ERROR_INVALID_HANDLE;
    else
        finish(stream);
    return entry.result();
}
EXPORTED CUresult cuStreamQuery(CUstream stream)
{
    ENTER(NEEDS_CONTEXT);
    if (!stream || stream->waiting.empty()) return entry.result();
    finish(stream);  // who asks again gets a yes
    return CUDA_ERROR_NOT_READY;
}
EXPORTED CUresult cuStreamWaitEvent(CUstream, CUevent event, unsigned)
{
    ENTER(NEEDS_CONTEXT);
    if (!event->is_recorded) finish_all(entry.context);
    return entry.result();
}

// ---- events -------------------------------------------------------------------------------------

EXPORTED CUresult cuEventCreate(CUevent *event, unsigned)
{
    ENTER(NEEDS_CONTEXT);
    *event = new CUevent_st{entry.context, 0, true};
    events.insert(*event);
    return entry.result();
}
EXPORTED CUresult cuEventDestroy(CUevent event)
{
    ENTER(NEEDS_CONTEXT);
    finish_all(entry.context);
    if (!events.erase(event)) return CUDA_ERROR_INVALID_HANDLE;
    return entry.result();
}
EXPORTED CUresult cuEventRecord(CUevent event, CUstream stream)
{
    ENTER(NEEDS_CONTEXT);
    event->is_recorded = false;
    enqueue(entry.context, stream, [event] {
        event->time_ms = now_ms();
        event->is_recorded = true;
    });
    return entry.result();
}
EXPORTED CUresult cuEventQuery(CUevent event)
{
    ENTER(NEEDS_CONTEXT);
    if (event->is_recorded) return entry.result();
    finish_all(entry.context);
    return CUDA_ERROR_NOT_READY;
}
EXPORTED CUresult cuEventSynchronize(CUevent event)
{
    ENTER(NEEDS_CONTEXT);
    if (!event->is_recorded) finish_all(entry.context);
    return entry.result();
}
// Both names: which one PyCUDA wants depends on the headers it was built with.
#undef cuEventElapsedTime
EXPORTED CUresult cuEventElapsedTime(float *ms, CUevent first, CUevent second)
{
    ENTER(NEEDS_CONTEXT);
    if (!first->is_recorded || !second->is_recorded) return CUDA_ERROR_NOT_READY;
    *ms = (float)(second->time_ms - first->time_ms);
    return entry.result();
}
EXPORTED CUresult cuEventElapsedTime_v2(float *ms, CUevent first, CUevent second)
{
    return cuEventElapsedTime(ms, first, second);
}
