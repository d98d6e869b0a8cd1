// The tiny models of tests/golden/vision_models that read images.
#pragma once

#include <string>
#include <vector>

#include "core/io/safetensors.h"
#include "core/tensor/tensor.h"

namespace headscope {

inline const std::string kVisionModels = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/vision_models/";

inline std::string vision_image() {
  return kVisionModels + "image.png";
}

inline std::vector<std::string> vision_models() {
  return {"vit", "vit-no-bias", "dinov2", "dinov2-other-grid", "dinov2-registers", "clip", "siglip"};
}

// What PyTorch computed.
class ExpectedStages {
 public:
  explicit ExpectedStages(const std::string& model, const char* file = "expected.safetensors")
      : file_(SafetensorsFile::open(kVisionModels + model + "/" + file)) {}
  bool has(const std::string& name) const { return file_.find(name) != nullptr; }
  Tensor operator[](const std::string& name) const { return file_.tensor(*file_.find(name)); }

 private:
  SafetensorsFile file_;
};

}  // namespace headscope
