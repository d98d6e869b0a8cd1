// Describes what a file of pieces holds, and a model's tokenizer.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "app/cli/describe.h"
#include "app/cli/output.h"
#include "core/io/mapped_file.h"
#include "core/io/vocabulary_bytes.h"
#include "core/text/tokenizer.h"

namespace headscope::cli {

void add_tokenizer(const Tokenizer* tokenizer, const std::string& unknown, Description& description) {
  description.json["tokenizer"] = nullptr;
  if (tokenizer == nullptr) {
    if (!unknown.empty()) description.json["unknown_tokenizer"] = unknown;
    description.text += unknown.empty() ? "no tokenizer\n" : "no tokenizer that can be used: " + unknown + "\n";
    return;
  }
  description.json["tokenizer"] = {{"kind", tokenizer->kind()}, {"vocabulary_size", tokenizer->vocabulary_size()}};
  description.text += fmt::format("tokenizer: {}, vocabulary {}\n", tokenizer->kind(), tokenizer->vocabulary_size());
}

std::string vocabulary_kind(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return "";
  const auto file = MappedFile::open(path);
  const std::string extension = std::filesystem::path(path).extension().string();
  const std::string kind = describe_vocabulary(file->bytes());
  if (kind.empty() && (extension == ".model" || extension == ".spm"))
    return "a SentencePiece model (a vocabulary alone)";
  return kind;
}

Description describe_vocabulary_file(const std::string& path) {
  Description description;
  description.json = {{"path", path}, {"kind", "vocabulary"}};
  description.text = fmt::format("{}: {}\n", printable(path), vocabulary_kind(path));
  std::shared_ptr<const Tokenizer> tokenizer;
  std::string unknown;
  try {
    tokenizer = load_tokenizer(path);
  } catch (const UnknownTokenizer& error) {
    unknown = error.what();
  }
  add_tokenizer(tokenizer.get(), unknown, description);
  return description;
}

}  // namespace headscope::cli
