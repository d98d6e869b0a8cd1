#include "app/gl/compute_staging.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "app/gl/check_gl.h"
#include "app/gl/compute_parts.h"
#include "app/gl/lost_context.h"
#include "core/base/error.h"
#include "core/tensor/parts.h"

namespace headscope {
namespace {

constexpr std::int64_t kSlotNumbers = std::int64_t{1} << 23;    // 32 MiB, where so many come at once
constexpr std::int64_t kUploadNumbers = std::int64_t{1} << 17;  // what one thread copies at a time
// One huge page of memory that may be fresh: two threads in one page would both have it zeroed.
constexpr std::int64_t kDownloadNumbers = std::int64_t{1} << 19;
constexpr GLuint64 kLongestWait = 100'000'000;  // nanoseconds between two looks at the device

void copy_between(unsigned from, std::int64_t from_first, unsigned to, std::int64_t to_first, std::int64_t count) {
  glBindBuffer(GL_COPY_READ_BUFFER, from);
  glBindBuffer(GL_COPY_WRITE_BUFFER, to);
  glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, from_first * 4, to_first * 4, count * 4);
}

// The part of a run that lies in [begin, end) of the buffer.
BufferRun part_of(const BufferRun& run, std::int64_t begin, std::int64_t end) {
  const std::int64_t first = std::max(run.first, begin);
  return {first, std::min(run.first + run.count, end) - first, run.memory + (first - run.first)};
}

// Copies what lies in [begin, end) of the buffer, whose number `begin` is `numbers`, to where the runs have it.
void copy_runs(std::span<const BufferRun> runs, const float* numbers, std::int64_t begin, std::int64_t end) {
  const auto ends_before = [](const BufferRun& run, std::int64_t at) { return run.first + run.count <= at; };
  for (auto run = std::lower_bound(runs.begin(), runs.end(), begin, ends_before); run != runs.end() && run->first < end;
       ++run) {
    const BufferRun part = part_of(*run, begin, end);
    std::copy_n(numbers + (part.first - begin), part.count, part.memory);
  }
}

}  // namespace

// Memory that both see, and the fence behind the device's last copy from or to it.
struct ComputeStaging::Slot {
  Slot(unsigned access, std::int64_t count) : capacity(count) {
    const GLbitfield bits = access | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    glGenBuffers(1, &name);
    glBindBuffer(GL_COPY_WRITE_BUFFER, name);
    glBufferStorage(GL_COPY_WRITE_BUFFER, capacity * 4, nullptr, bits | GL_CLIENT_STORAGE_BIT);
    numbers = static_cast<float*>(glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, capacity * 4, bits));
    if (numbers != nullptr) return;
    glDeleteBuffers(1, &name);
    check_gl("making memory for copies");
    throw Error("The graphics driver gave no access to memory for copies.");
  }
  ~Slot() {
    if (fence != nullptr) glDeleteSync(fence);
    glDeleteBuffers(1, &name);  // which unmaps it
  }
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  void copy_begins() {
    if (fence != nullptr) glDeleteSync(fence);
    fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    glFlush();
  }

  // Until the device has done what it was told before the fence.
  void wait() {
    while (fence != nullptr) {
      const GLenum result = glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, kLongestWait);
      if (context_is_lost()) throw Error("The graphics driver lost the device while it computed.");
      if (result == GL_TIMEOUT_EXPIRED) continue;
      glDeleteSync(fence);
      fence = nullptr;
      if (result == GL_WAIT_FAILED) throw Error("The graphics driver does not say when a copy is done.");
    }
  }

  const std::int64_t capacity;
  unsigned name = 0;
  float* numbers = nullptr;
  GLsync fence = nullptr;
};

bool ComputeStaging::is_possible() {
  return epoxy_gl_version() >= 44 || epoxy_has_gl_extension("GL_ARB_buffer_storage");
}

ComputeStaging::ComputeStaging(ThreadPool& threads) : threads_(threads) {}

ComputeStaging::~ComputeStaging() = default;

ComputeStaging::Slot& ComputeStaging::free_slot(Slots& slots, std::size_t number, std::int64_t count) {
  std::unique_ptr<Slot>& slot = slots[number % kSlots];
  if (slot != nullptr) slot->wait();
  if (slot == nullptr || slot->capacity < count) {
    slot.reset();
    const std::int64_t room = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(count)));
    slot = std::make_unique<Slot>(&slots == &up_ ? GL_MAP_WRITE_BIT : GL_MAP_READ_BIT, room);
  }
  return *slot;
}

void ComputeStaging::upload(const Tensor& tensor, const Region& region, unsigned buffer) {
  const auto pieces = [](std::int64_t most) {
    return [most](const Region& part) { return element_count(part) <= most || element_count(part) == 1; };
  };
  std::int64_t first = 0;
  std::size_t number = 0;
  for (const Region& part : parts_of(region, pieces(kSlotNumbers))) {
    Slot& slot = free_slot(up_, number++, element_count(part));
    const std::vector<Region> tasks = parts_of(part, pieces(kUploadNumbers));
    std::vector<std::int64_t> begins;
    std::int64_t count = 0;
    for (const Region& task : tasks) {
      begins.push_back(count);
      count += element_count(task);
    }
    threads_.run(static_cast<std::int64_t>(tasks.size()), tasks.size() > 1, [&](std::int64_t t) {
      const auto task = static_cast<std::size_t>(t);
      tensor.read(tasks[task], {slot.numbers + begins[task], static_cast<std::size_t>(element_count(tasks[task]))});
    });
    copy_between(slot.name, 0, buffer, first, count);
    slot.copy_begins();
    first += count;
  }
  check_gl("writing to a buffer");
}

void ComputeStaging::download(unsigned buffer, std::span<const BufferRun> runs) {
  if (runs.empty()) return;
  const std::int64_t begin = runs.front().first, end = runs.back().first + runs.back().count;
  const std::int64_t pieces = parts_over(end - begin, kSlotNumbers);
  glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  const auto first_of = [&](std::int64_t piece) { return begin + piece * kSlotNumbers; };
  const auto ask_for = [&](std::int64_t piece) {
    if (piece >= pieces) return;
    const std::int64_t first = first_of(piece), count = std::min(kSlotNumbers, end - first);
    Slot& slot = free_slot(down_, static_cast<std::size_t>(piece), count);
    copy_between(buffer, first, slot.name, 0, count);
    slot.copy_begins();
  };
  ask_for(0);
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    ask_for(piece + 1);
    Slot& slot = *down_[static_cast<std::size_t>(piece) % kSlots];
    slot.wait();
    const std::int64_t first = first_of(piece), stop = std::min(first + kSlotNumbers, end);
    const std::int64_t tasks = parts_over(stop - first, kDownloadNumbers);
    threads_.run(tasks, tasks > 1, [&](std::int64_t task) {
      const std::int64_t from = first + task * kDownloadNumbers;
      copy_runs(runs, slot.numbers + task * kDownloadNumbers, from, std::min(from + kDownloadNumbers, stop));
    });
  }
  check_gl("reading results");
}

}  // namespace headscope
