// GGUF files, version 3: metadata, and tensors in blocks of few bits
// (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/gguf_types.h"
#include "core/io/mapped_file.h"
#include "core/io/tensor_file.h"
#include "core/tensor/tensor.h"

namespace headscope {

// A key and where its value lies: values are read when they are asked for.
struct GgufField {
  enum class Kind : std::uint32_t {
    u8 = 0,
    i8 = 1,
    u16 = 2,
    i16 = 3,
    u32 = 4,
    i32 = 5,
    f32 = 6,
    truth = 7,
    text = 8,
    list = 9,
    u64 = 10,
    i64 = 11,
    f64 = 12
  };
  std::string key;
  Kind kind = Kind::u32;
  Kind item_kind = Kind::u32;  // of a list
  std::uint64_t count = 1;     // items of a list
  std::size_t begin = 0;       // of the value within the file; of a list: of its first item
};

struct GgufTensor {
  std::string name;
  const GgufType* type = nullptr;
  std::vector<std::int64_t> shape;  // row-major, as everywhere here: the file's sizes the other way round
  std::size_t begin = 0, end = 0;   // bytes within the file
};

// What stands in front of the numbers. Nothing in it is trusted: parse_gguf() has checked it.
struct GgufHeader {
  std::vector<GgufField> fields;                      // sorted by key
  std::vector<GgufTensor> tensors;                    // sorted by name
  const GgufField* find(std::string_view key) const;  // null when there is none
};

// `bytes` is the whole file, `what` its name in errors. Counts, lengths of texts and lists, sizes and offsets must lie
// inside the file; names and keys are UTF-8 and stand once; rows are whole blocks; tensors begin at multiples of
// general.alignment (32 unless it says so) and do not overlap. Throws Error that says which of these is broken; that
// the file is of version 1 or 2 or big-endian; or the number of a type that is not known.
GgufHeader parse_gguf(std::span<const std::byte> bytes, const std::string& what);

// The numbers of a tensor. F32, F16 and BF16 are views of `owner`, which keeps `bytes` alive, where they can be; all
// others are computed: a read unpacks the blocks that it touches, and nothing is kept. Throws Error for a type that is
// not read.
Tensor gguf_tensor(std::span<const std::byte> bytes, const GgufTensor& tensor, const std::string& what,
                   const std::shared_ptr<const void>& owner);

// The header and the bytes of an open file.
class GgufFile : public std::enable_shared_from_this<GgufFile> {
 public:
  // Maps the file and parses its header.
  static std::shared_ptr<const GgufFile> open(const std::string& path);
  const GgufHeader& header() const { return header_; }
  const std::string& path() const { return file_->path(); }
  // Throws Error when the file has changed since.
  void check_unchanged() const { file_->check_unchanged(); }

  // The value of a key; nullopt where it is absent. Error where it is of another kind. A whole number may be stored in
  // any kind of them, and must not be negative nor above 2^62.
  std::optional<std::int64_t> whole(std::string_view key) const;
  // A finite number. A float32 is taken for the shortest decimal that reads back to it: a model's 1e-5 is 1e-5 again.
  std::optional<double> number(std::string_view key) const;
  std::optional<bool> truth(std::string_view key) const;
  std::optional<std::string_view> text(std::string_view key) const;  // UTF-8
  // Calls `visit` with the items of a list of texts, in order, which need not be UTF-8. False where the key is absent.
  bool each_text(std::string_view key, const std::function<void(std::string_view)>& visit) const;
  // The items of a list of numbers or truths; nullopt where the key is absent.
  std::optional<std::vector<double>> numbers(std::string_view key) const;

  // The numbers of a tensor of header(): see gguf_tensor(). They keep the file open.
  Tensor tensor(const GgufTensor& tensor) const;

  [[noreturn]] void refuse(std::string_view key, const std::string& sentence) const;  // "PATH: key KEY SENTENCE"

 private:
  std::span<const std::byte> bytes() const { return file_->bytes(); }
  std::shared_ptr<const MappedFile> file_;
  GgufHeader header_;
};

// The tensors of the file, which they keep open.
TensorFile tensors_of(const std::shared_ptr<const GgufFile>& file);

// "a whole number", "a list of texts": the kind of a value in words.
std::string kind_name(const GgufField& field);

// The GGUF file that a path means: the path itself when it is no folder and its name ends in .gguf or its bytes begin
// with GGUF; of a folder without other weights (model.safetensors, pytorch_model.bin and their indices) the one that it
// holds. "" where there is none; Error that names them where a folder has several.
std::string gguf_path_of(const std::string& path);

}  // namespace headscope
