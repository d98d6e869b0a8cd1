// The tiny models with an encoder and a decoder (tests/golden/make_encoder_decoder_golden.py) on their own texts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/io/safetensors.h"
#include "core/request/request.h"
#include "core/tensor/tensor.h"

namespace headscope {

inline const std::string kEncoderDecoders = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/encoder_decoders/";

inline std::vector<std::string> encoder_decoder_names() {
  return {"t5", "t5-gated", "bart", "mbart", "marian", "marian-two-vocabularies", "whisper"};
}

// What PyTorch computed.
inline Tensor encoder_decoder_expected(const std::string& model, const std::string& tensor) {
  const SafetensorsFile file = SafetensorsFile::open(kEncoderDecoders + model + "/expected.safetensors");
  return file.tensor(*file.find(tensor));
}

inline std::vector<std::int64_t> encoder_decoder_ids(const std::string& model, const std::string& tensor) {
  std::vector<std::int64_t> ids;
  for (const float id : encoder_decoder_expected(model, tensor).values()) ids.push_back(static_cast<std::int64_t>(id));
  return ids;
}

inline Request encoder_decoder_request(const std::string& model) {
  Request request;
  request.model = kEncoderDecoders + model;
  request.backend = BackendChoice::cpu;
  if (model == "whisper") {
    request.features = kEncoderDecoders + model + "/features.npy";
  } else {
    request.token_ids = encoder_decoder_ids(model, "token_ids");
  }
  request.decoder_ids = encoder_decoder_ids(model, "decoder_ids");
  return request;
}

}  // namespace headscope
