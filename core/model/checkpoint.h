// A trained model from a folder (config.json, weights, tokenizer) or from a GGUF file. Files are mapped; weights
// are read when they are used.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/architecture.h"
#include "core/model/checkpoint_weights.h"
#include "core/model/tower.h"

namespace headscope {

class Tokenizer;
struct ImageProcessor;

class Checkpoint {
 public:
  // A folder with config.json and weights as WeightFiles::open finds them, weights that say their own sizes
  // (own_config.h), Meta's folder (meta_folder.h), a GGUF file or a folder that holds one (core/io/gguf), or demo:NAME
  // for a folder that Headscope ships. Reads the configuration and headers, no weights. Throws Error that lists
  // everything that is missing or does not fit, each with name, found and expected; UsageError for an unknown demo. Of
  // a model that reads both texts and images the part that reads what `tower` says is opened; one that reads the other
  // alone is opened all the same.
  static std::shared_ptr<const Checkpoint> open(const std::string& path_or_demo, Tower tower = Tower::text);
  ~Checkpoint();
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;

  const std::string& path() const;  // as given to open()
  Tower tower() const;              // likewise
  const Architecture& architecture() const;
  // A model with an encoder and a decoder opens as its encoder, with the parts of its decoder: decoder or cross. One
  // whose result is gathered by one more layer has that as pool. Null where there is none. Its bytes, parameters and
  // unexpected tensors are those of all parts.
  std::shared_ptr<const Checkpoint> part(Architecture::Part part) const;

  // Made on the first call and kept: the same storage every time. Safe from any thread.
  EmbeddingWeights embedding() const;
  BlockWeights block(std::int64_t layer) const;  // asserts 0 <= layer < num_layers
  OutputHead output_head() const;

  // Read on the first call; null when the folder has none, or one of a kind that is not known here. Throws Error when
  // it is malformed.
  std::shared_ptr<const Tokenizer> tokenizer() const;
  // What a refusal of a text says where tokenizer() is null: "PATH has no tokenizer", and why one that is there cannot
  // be used.
  std::string no_tokenizer_sentence() const;
  // Why a tokenizer that is there cannot be used, once tokenizer() was called; "" where it can, and where there is
  // none.
  std::string unknown_tokenizer() const;
  // How an image becomes numbers; null when the folder does not say. Read on the first call; throws Error when it is
  // malformed.
  std::shared_ptr<const ImageProcessor> image_processor() const;
  // What a sentence says of a model whose output_head() is none, after its name: "was saved without its output head".
  const char* why_no_head() const;
  // The tokens that end a text, as config.json names them (ModelConfig::end_tokens).
  const std::vector<std::int64_t>& end_tokens() const;
  // The token that a decoder's text begins with; nullopt where config.json names none.
  const std::optional<std::int64_t>& start_token() const;

  // Tensors of the files that the architecture does not use, sorted; none of them is of a layer, where open() refuses
  // them. What is_harmless() knows (causal masks, position ids, BERT's pooler) and what a map ignores is not listed.
  const std::vector<std::string>& unexpected() const;
  std::int64_t bytes() const;                      // of the tensors that are used
  std::int64_t parameters() const;                 // numbers in them; a tied decoder counts once
  const std::vector<std::string>& dtypes() const;  // of the tensors that are used, sorted: "BF16"
  const std::vector<std::string>& files() const;   // names of the files of weights in the folder
  bool holds(const std::string& tensor) const;     // whether a file has a tensor of that name

 private:
  struct Contents;
  explicit Checkpoint(std::unique_ptr<Contents> contents);
  std::unique_ptr<Contents> contents_;
};

}  // namespace headscope
