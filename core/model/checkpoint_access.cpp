// What an open checkpoint gives; what it holds is in checkpoint_contents.
#include "core/model/checkpoint.h"

#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <utility>

#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/io/gguf.h"
#include "core/model/adapters_used.h"
#include "core/model/checkpoint_contents.h"
#include "core/model/config_reader.h"
#include "core/model/demo_checkpoints.h"
#include "core/model/image_processor.h"
#include "core/model/opened_model.h"
#include "core/request/model_text.h"
#include "core/text/tokenizer.h"
#include "core/text/unread_tokenizer.h"

namespace headscope {

Checkpoint::Checkpoint(std::unique_ptr<Contents> contents) : contents_(std::move(contents)) {}
Checkpoint::~Checkpoint() = default;

namespace {

// A tensor that a GGUF model's row does not know may change its numbers.
void refuse_unexpected(std::vector<std::string>& unexpected, const std::string& file, const std::string& family) {
  // gguf_model_of() has read these.
  std::erase_if(unexpected, [](const std::string& name) {
    return name == "rope_freqs.weight" || name == "rope_factors_short.weight" || name == "rope_factors_long.weight";
  });
  if (unexpected.empty()) return;
  std::vector<std::string> shown;
  for (const std::string& name : unexpected) shown.push_back(shortened(name));
  throw Error(fmt::format("{}: has tensors that a {} model does not have here: {}", file, family, first_ten(shown)));
}

}  // namespace

std::shared_ptr<const Checkpoint> Checkpoint::open(const std::string& path_or_demo, Tower tower) {
  const std::string base = base_of_model(path_or_demo);
  const std::string place = base.starts_with("demo:") ? demo_folder(base.substr(5)) : base;
  const std::string gguf = gguf_path_of(place);
  OpenedModel opened =
      gguf.empty() ? open_model_folder(path_or_demo, place, tower) : open_gguf_model(path_or_demo, gguf);
  const std::vector<std::string> changed = opened.changed;
  auto contents = std::make_unique<Contents>(std::move(opened));
  contents->tower = tower;
  check_adapters_used(path_or_demo, changed, contents->account.used, *contents->config.family);
  if (gguf.empty()) {
    contents->refuse_leftovers();
  } else {
    refuse_unexpected(contents->account.unexpected, gguf, contents->config.architecture.family);
  }
  return std::shared_ptr<const Checkpoint>(new Checkpoint(std::move(contents)));
}

const std::string& Checkpoint::path() const {
  return contents_->path;
}

const Architecture& Checkpoint::architecture() const {
  return contents_->config.architecture;
}

EmbeddingWeights Checkpoint::embedding() const {
  const std::lock_guard lock(contents_->mutex);
  if (!contents_->embedding) contents_->embedding = contents_->read_embedding();
  return *contents_->embedding;
}

BlockWeights Checkpoint::block(std::int64_t layer) const {
  HEADSCOPE_ASSERT(layer >= 0 && layer < architecture().num_layers,
                   fmt::format("layer {} of {}", layer, architecture().num_layers));
  const std::lock_guard lock(contents_->mutex);
  const auto found = contents_->blocks.find(layer);
  if (found != contents_->blocks.end()) return found->second;
  return contents_->blocks.emplace(layer, contents_->read_block(layer)).first->second;
}

OutputHead Checkpoint::output_head() const {
  const std::lock_guard lock(contents_->mutex);
  if (!contents_->output_head) contents_->output_head = contents_->read_output_head();
  return *contents_->output_head;
}

std::shared_ptr<const Tokenizer> Checkpoint::tokenizer() const {
  KeptTokenizer& kept = *contents_->tokenizer;
  const std::lock_guard lock(kept.mutex);
  if (kept.read) return *kept.read;
  try {
    kept.read = load_tokenizer(contents_->tokenizer_path, kept.side);
    if (*kept.read == nullptr) kept.unknown = unread_tokenizer(contents_->tokenizer_path);
  } catch (const UnknownTokenizer& error) {
    kept.unknown = error.what();
    kept.read = nullptr;
  }
  return *kept.read;
}

std::string Checkpoint::unknown_tokenizer() const {
  KeptTokenizer& kept = *contents_->tokenizer;
  const std::lock_guard lock(kept.mutex);
  return kept.unknown;
}

std::string Checkpoint::no_tokenizer_sentence() const {
  const std::string why = unknown_tokenizer();
  return path() + (why.empty() ? " has no tokenizer" : " has no tokenizer that can be used: " + why);
}

std::shared_ptr<const ImageProcessor> Checkpoint::image_processor() const {
  const std::lock_guard lock(contents_->mutex);
  if (!contents_->image_processor) {
    contents_->image_processor = read_image_processor(contents_->tokenizer_path, architecture());
  }
  return *contents_->image_processor;
}

Tower Checkpoint::tower() const {
  return contents_->tower;
}

const char* Checkpoint::why_no_head() const {
  if (architecture().image || architecture().part == Architecture::Part::pool) {
    return "reads images and has no vocabulary";
  }
  if (architecture().part == Architecture::Part::encoder) {
    return contents_->parts.empty() ? "was saved without its decoder, which predicts"
                                    : "predicts with its decoder, not with its encoder";
  }
  return contents_->config.family->makes_vectors ? "makes vectors of texts and predicts no tokens"
                                                 : "was saved without its output head";
}

const std::vector<std::int64_t>& Checkpoint::end_tokens() const {
  return contents_->config.end_tokens;
}

std::shared_ptr<const Checkpoint> Checkpoint::part(Architecture::Part part) const {
  for (const std::shared_ptr<const Checkpoint>& each : contents_->parts) {
    if (each->architecture().part == part) return each;
  }
  return nullptr;
}

const std::optional<std::int64_t>& Checkpoint::start_token() const {
  return contents_->config.start_token;
}

const std::vector<std::string>& Checkpoint::unexpected() const {
  return contents_->account.unexpected;
}

std::int64_t Checkpoint::bytes() const {
  return contents_->account.bytes;
}

std::int64_t Checkpoint::parameters() const {
  return contents_->account.parameters;
}

const std::vector<std::string>& Checkpoint::dtypes() const {
  return contents_->account.dtypes;
}

const std::vector<std::string>& Checkpoint::files() const {
  return contents_->files->names();
}

bool Checkpoint::holds(const std::string& tensor) const {
  return contents_->files->find(tensor) != nullptr;
}

}  // namespace headscope
