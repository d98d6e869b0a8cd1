// Whatever header is accepted lies inside the file: every value and tensor can be read or is refused, tensors do not
// overlap, and a tokenizer among the keys spells a text so that everything fits together.
#include <unistd.h>

#include <fstream>
#include <memory>

#include "core/base/error.h"
#include "core/io/gguf.h"
#include "core/model/gguf_model.h"
#include "core/text/gguf_tokenizer.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

namespace {

constexpr std::int64_t kMostValues = 1 << 20;  // of a tensor that is read

void read_tensors(std::span<const std::byte> bytes, const GgufHeader& header) {
  for (const GgufTensor& entry : header.tensors) {
    fuzz::require(entry.begin <= entry.end && entry.end <= bytes.size(), "a tensor lies in the file");
    for (const GgufTensor& other : header.tensors) {
      fuzz::require(&entry == &other || entry.end <= other.begin || other.end <= entry.begin, "tensors do not overlap");
    }
    try {
      const Tensor tensor = gguf_tensor(bytes, entry, "fuzz", std::make_shared<int>(0));
      if (tensor.size() > kMostValues) continue;
      const std::vector<float> values = tensor.values();
      fuzz::require(values.size() == static_cast<std::size_t>(tensor.size()), "a tensor has as many values");
    } catch (const Error&) {
    }
  }
}

template <typename Read>
void allow_refusal(const Read& read) {
  try {
    read();
  } catch (const Error&) {
  }
}

void read_values(const GgufFile& file) {
  for (const GgufField& field : file.header().fields) {
    allow_refusal([&] { file.whole(field.key); });
    allow_refusal([&] { file.number(field.key); });
    allow_refusal([&] { file.truth(field.key); });
    allow_refusal([&] { file.text(field.key); });
    allow_refusal([&] { file.numbers(field.key); });
    std::uint64_t texts = 0;
    allow_refusal([&] {
      file.each_text(field.key, [&](std::string_view) { ++texts; });
      fuzz::require(texts == field.count, "a list has as many texts as it says");
    });
  }
  allow_refusal([&] { gguf_model_of(file); });
  allow_refusal([&] {
    auto parts = read_gguf_tokenizer(file);
    if (!parts) return;
    const auto tokenizer = make_pipeline_tokenizer(std::move(*parts));
    const Tokens tokens = tokenizer->tokenize("a aab \xC3\xA9 12");
    fuzz::require(tokens.pieces.size() == tokens.ids.size(), "a piece a token");
    tokenizer->decode(tokens.ids);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string path = "/dev/shm/headscope-fuzz-" + std::to_string(getpid()) + ".gguf";
  const std::span<const std::byte> bytes = fuzz::as_bytes(data, size);
  try {
    read_tensors(bytes, parse_gguf(bytes, "fuzz.gguf"));
  } catch (const Error&) {
    return 0;
  }
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  read_values(*GgufFile::open(path));
  return 0;
}
