#include "app/gl/compute_buffer.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "app/gl/compute_staging.h"
#include "app/gl/lost_context.h"
#include "core/base/error.h"

namespace headscope {
namespace {

// Fills the first `count` numbers of the buffer that is bound; `fill` gets the memory.
template <typename Fill>
void write_bound(std::int64_t count, Fill&& fill) {
  void* memory =
      glMapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, count * 4, GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT);
  if (memory == nullptr) {
    check_gl("writing to a buffer");
    throw Error("The graphics driver gave no access to a buffer that it had made.");
  }
  try {
    fill(memory);
  } catch (...) {
    glUnmapBuffer(GL_SHADER_STORAGE_BUFFER);
    throw;
  }
  if (!glUnmapBuffer(GL_SHADER_STORAGE_BUFFER)) throw Error("The graphics driver lost what was written to a buffer.");
}

}  // namespace

ComputeBuffer::ComputeBuffer() {
  glGenBuffers(1, &name_);
}

ComputeBuffer::~ComputeBuffer() {
  if (name_ != 0) glDeleteBuffers(1, &name_);
}

unsigned ComputeBuffer::release() {
  return std::exchange(name_, 0);
}

void ComputeBuffer::clear(std::int64_t count) const {
  if (count == 0) return;
  glBindBuffer(GL_SHADER_STORAGE_BUFFER, name_);
  glClearBufferSubData(GL_SHADER_STORAGE_BUFFER, GL_R32UI, 0, count * 4, GL_RED_INTEGER, GL_UNSIGNED_INT, nullptr);
  check_gl("clearing a buffer");
}

void ComputeBuffer::reserve(std::int64_t count) {
  forget();
  const std::int64_t bytes = std::max<std::int64_t>(count, 1) * 4;  // GL binds no buffer of size 0
  if (bytes <= capacity_) return;
  glBindBuffer(GL_SHADER_STORAGE_BUFFER, name_);
  capacity_ = 0;
  glBufferData(GL_SHADER_STORAGE_BUFFER, bytes, nullptr, GL_DYNAMIC_COPY);
  check_gl("making a buffer");
  capacity_ = bytes;
}

void ComputeBuffer::upload(const Tensor& tensor, const Region& region) {
  if (!held_.empty() && same_storage(held_, tensor) && held_.shape() == tensor.shape() && held_region_ == region)
    return;
  const std::int64_t count = element_count(region);
  reserve(count);
  if (count == 0) return;
  if (count > ComputeStaging::kFewNumbers && staging_ != nullptr) {
    staging_->upload(tensor, region, name_);
  } else if (count > ComputeStaging::kFewNumbers) {
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, name_);
    write_bound(count, [&](void* memory) {
      tensor.read(region, {static_cast<float*>(memory), static_cast<std::size_t>(count)});
    });
  } else {
    std::array<float, ComputeStaging::kFewNumbers> numbers;
    tensor.read(region, std::span(numbers).first(static_cast<std::size_t>(count)));
    write_few(numbers.data(), count);
  }
  held_ = tensor;
  held_region_ = region;
}

void ComputeBuffer::upload(std::span<const std::uint32_t> words) {
  const auto count = static_cast<std::int64_t>(words.size());
  reserve(count);
  if (words.empty()) return;
  if (count <= ComputeStaging::kFewNumbers) {
    write_few(words.data(), count);
    return;
  }
  glBindBuffer(GL_SHADER_STORAGE_BUFFER, name_);
  write_bound(count, [&](void* memory) { std::memcpy(memory, words.data(), words.size_bytes()); });
}

void ComputeBuffer::write_few(const void* numbers, std::int64_t count) const {
  glBindBuffer(GL_SHADER_STORAGE_BUFFER, name_);
  glBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, count * 4, numbers);
  check_gl("writing to a buffer");
}

void ComputeBuffer::write(std::int64_t first, std::span<const float> numbers) {
  if (numbers.empty()) return;
  forget();
  glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  glBindBuffer(GL_SHADER_STORAGE_BUFFER, name_);
  glBufferSubData(GL_SHADER_STORAGE_BUFFER, first * 4, static_cast<GLsizeiptr>(numbers.size_bytes()), numbers.data());
  check_gl("writing to a buffer");
}

void ComputeBuffer::bind(unsigned binding) const {
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, name_);
}

void ComputeBuffer::read(std::int64_t first, std::span<float> out) const {
  if (out.empty()) return;
  const BufferRun all{first, static_cast<std::int64_t>(out.size()), out.data()};
  if (staging_ != nullptr && all.count > ComputeStaging::kFewNumbers) {
    staging_->download(name_, {&all, 1});
    return;
  }
  glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  glBindBuffer(GL_SHADER_STORAGE_BUFFER, name_);
  glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, first * 4, static_cast<GLsizeiptr>(out.size_bytes()), out.data());
  check_gl("reading results");
  if (context_is_lost()) throw Error("The graphics driver lost the device while it computed.");
}

void ComputeBuffer::read(std::span<const BufferRun> runs) const {
  if (runs.empty()) return;
  const std::int64_t first = runs.front().first, count = runs.back().first + runs.back().count - first;
  if (staging_ != nullptr && count > ComputeStaging::kFewNumbers) {
    staging_->download(name_, runs);
    return;
  }
  std::vector<float> numbers(static_cast<std::size_t>(count));
  read(first, numbers);
  for (const BufferRun& run : runs) std::copy_n(numbers.data() + (run.first - first), run.count, run.memory);
}

void ComputeBuffer::forget() {
  held_ = {};
  held_region_ = {};
}

}  // namespace headscope
