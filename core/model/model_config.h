// config.json of a checkpoint folder -> the architecture that it describes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/io/json_text.h"
#include "core/model/architecture.h"
#include "core/model/family.h"
#include "core/model/tower.h"

namespace headscope {

// What a headscope-map.json says of tensors' names; empty without one.
struct MapNames {
  std::vector<std::string> before_layer;  // what stands before a layer's number
  std::vector<std::string> tensors;       // those that it names
  std::string body;                       // how names of the body begin, "deberta."; "" where they have nothing alike
  std::vector<std::string> ignored;       // patterns of those that change nothing, see fits_pattern()
};

struct ModelConfig {
  Architecture architecture;
  const Family* family = nullptr;
  std::shared_ptr<const Family> own_family = {};  // of a model with a map: keeps `family`
  // config.json does not say whether embeddings are tied (Architecture::tied_embeddings is true): they are not when the
  // files hold a decoder.
  bool tied_by_file = false;
  // The tokens that end a text, as eos_token_id names them, one or a list; empty where it names none of the vocabulary.
  std::vector<std::int64_t> end_tokens = {};
  // decoder_start_token_id, where it names a token of the vocabulary.
  std::optional<std::int64_t> start_token = {};
  MapNames map = {};
};

// `config` is the parsed file, `what` its path in errors. Throws Error that lists every value that does not fit (the
// first ten): sizes that are no whole numbers or out of range, heads that do not divide, activations, positions and
// switches that are not implemented, an unknown model_type, a head that drafts for another model (draft_heads). Of a
// model that reads texts and images, its part for `tower`.
ModelConfig model_config_of(const JsonValue& config, const std::string& what, Tower tower = Tower::text);

// The same of an object whose family is known, which must outlive the result.
ModelConfig model_config_of(const JsonValue& config, const Family& family, const std::string& what);

}  // namespace headscope
