// Tokenizers written out by a test.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/text/tokenizer.h"
#include "tests/app/session/temporary_folder.h"

namespace headscope {

// {"type": ...} or null where a part is left out.
struct TokenizerJson {
  nlohmann::ordered_json added_tokens = nlohmann::ordered_json::array();
  nlohmann::ordered_json normalizer, pre_tokenizer, post_processor, decoder, model;

  std::string text() const {
    return nlohmann::ordered_json{{"version", "1.0"},
                                  {"truncation", nullptr},
                                  {"padding", nullptr},
                                  {"added_tokens", added_tokens},
                                  {"normalizer", normalizer},
                                  {"pre_tokenizer", pre_tokenizer},
                                  {"post_processor", post_processor},
                                  {"decoder", decoder},
                                  {"model", model}}
        .dump();
  }
};

inline std::shared_ptr<const Tokenizer> tokenizer_of(const std::string& json) {
  const TemporaryFolder folder;
  folder.write("tokenizer.json", json);
  return load_tokenizer(folder.path());
}

inline std::shared_ptr<const Tokenizer> tokenizer_of(const TokenizerJson& json) {
  return tokenizer_of(json.text());
}

// {"content": ..., "id": ..., and what is true}
inline nlohmann::ordered_json added_token(int id, const std::string& content, bool special = true) {
  return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", special}};
}

}  // namespace headscope
