// GGUF files written out by a test, well-formed or not.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "core/io/gguf.h"

namespace headscope::test {

class GgufWriter {
 public:
  using Kind = GgufField::Kind;

  std::uint32_t version = 3;
  std::uint64_t alignment = 32;  // of offsets; general.alignment is added by hand

  template <typename T>
  static std::string raw(T value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }
  static std::string text_bytes(const std::string& text) { return raw<std::uint64_t>(text.size()) + text; }
  static std::uint32_t type_number(const std::string& name) {
    for (const GgufType& type : gguf_types()) {
      if (name == type.name) return type.number;
    }
    return 9999;
  }

  GgufWriter& field(const std::string& key, std::uint32_t kind, const std::string& payload) {
    fields_ += text_bytes(key) + raw(kind) + payload;
    ++num_fields_;
    return *this;
  }
  GgufWriter& field(const std::string& key, Kind kind, const std::string& payload) {
    return field(key, static_cast<std::uint32_t>(kind), payload);
  }
  GgufWriter& u32(const std::string& key, std::uint32_t value) { return field(key, Kind::u32, raw(value)); }
  GgufWriter& f32(const std::string& key, float value) { return field(key, Kind::f32, raw(value)); }
  GgufWriter& truth(const std::string& key, bool value) {
    return field(key, Kind::truth, raw(static_cast<std::uint8_t>(value ? 1 : 0)));
  }
  GgufWriter& text(const std::string& key, const std::string& value) {
    return field(key, Kind::text, text_bytes(value));
  }
  GgufWriter& texts(const std::string& key, const std::vector<std::string>& values) {
    std::string items;
    for (const std::string& value : values) items += text_bytes(value);
    return field(key, Kind::list,
                 raw(static_cast<std::uint32_t>(Kind::text)) + raw<std::uint64_t>(values.size()) + items);
  }
  template <typename T>
  GgufWriter& list(const std::string& key, Kind kind, const std::vector<T>& values) {
    std::string items;
    for (const T value : values) items += raw(value);
    return field(key, Kind::list, raw(static_cast<std::uint32_t>(kind)) + raw<std::uint64_t>(values.size()) + items);
  }

  // `shape` row-major; the tensor begins at the next multiple of the alignment, or `offset`.
  GgufWriter& tensor(const std::string& name, const std::vector<std::int64_t>& shape, const std::string& type,
                     const std::string& bytes, std::int64_t offset = -1) {
    return tensor_of_type(name, shape, type_number(type), bytes, offset);
  }
  GgufWriter& tensor_of_type(const std::string& name, const std::vector<std::int64_t>& shape, std::uint32_t type,
                             const std::string& bytes, std::int64_t offset = -1) {
    data_.append((alignment - data_.size() % alignment) % alignment, '\0');
    const std::uint64_t place = offset < 0 ? holes_ + data_.size() : static_cast<std::uint64_t>(offset);
    tensors_ += text_bytes(name) + raw(static_cast<std::uint32_t>(shape.size()));
    for (auto size = shape.rbegin(); size != shape.rend(); ++size) tensors_ += raw(static_cast<std::uint64_t>(*size));
    tensors_ += raw(type) + raw(place);
    data_ += bytes;
    ++num_tensors_;
    return *this;
  }

  // A tensor whose numbers are left out of bytes(): a file of header() is made longer by holes().
  GgufWriter& hole(const std::string& name, const std::vector<std::int64_t>& shape, const std::string& type) {
    const GgufType& row = *gguf_type(type_number(type));
    std::int64_t count = 1;
    for (const std::int64_t size : shape) count *= size;
    tensor(name, shape, type, "");
    holes_ += static_cast<std::uint64_t>(count / row.block_values * row.block_bytes);
    holes_ += (alignment - holes_ % alignment) % alignment;
    return *this;
  }
  std::uint64_t holes() const { return holes_; }

  // All but the numbers, up to where these begin.
  std::string header() const {
    std::string bytes = "GGUF" + raw(version) + raw(num_tensors_) + raw(num_fields_) + fields_ + tensors_;
    bytes.append((alignment - bytes.size() % alignment) % alignment, '\0');
    return bytes;
  }
  std::string bytes() const { return header() + data_; }

 private:
  std::string fields_, tensors_, data_;
  std::uint64_t num_fields_ = 0, num_tensors_ = 0, holes_ = 0;
};

// A Llama of one layer, d_model 2, three pieces.
inline std::string small_gguf_llama() {
  GgufWriter file;
  file.alignment = 8;
  file.u32("general.alignment", 8).text("general.architecture", "llama").u32("llama.block_count", 1);
  file.u32("llama.embedding_length", 2).u32("llama.attention.head_count", 1).u32("llama.context_length", 4);
  file.u32("llama.feed_forward_length", 2).f32("llama.attention.layer_norm_rms_epsilon", 0.5F);
  file.text("tokenizer.ggml.model", "llama").texts("tokenizer.ggml.tokens", {"<unk>", "<s>", "a"});
  file.list<std::int32_t>("tokenizer.ggml.token_type", GgufField::Kind::i32, {2, 3, 1});
  file.list<float>("tokenizer.ggml.scores", GgufField::Kind::f32, {0, 0, -1});
  const auto add = [&file](const std::string& name, const std::vector<std::int64_t>& shape) {
    std::string bytes;
    for (std::int64_t k = 0; k < shape[0] * (shape.size() > 1 ? shape[1] : 1); ++k) {
      bytes += GgufWriter::raw(0.25F + static_cast<float>(k));
    }
    file.tensor(name + ".weight", shape, "F32", bytes);
  };
  add("token_embd", {3, 2});
  add("output_norm", {2});
  for (const char* norm : {"blk.0.attn_norm", "blk.0.ffn_norm"}) add(norm, {2});
  for (const char* matrix : {"blk.0.attn_q", "blk.0.attn_k", "blk.0.attn_v", "blk.0.attn_output", "blk.0.ffn_gate",
                             "blk.0.ffn_up", "blk.0.ffn_down"}) {
    add(matrix, {2, 2});
  }
  return file.bytes();
}

}  // namespace headscope::test
