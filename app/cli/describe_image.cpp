// Pictures and sounds, and what models make of them.
#include <fmt/format.h>

#include <string>

#include "app/cli/describe.h"
#include "app/cli/output.h"
#include "core/io/jpeg.h"
#include "core/model/checkpoint.h"

namespace headscope::cli {

const char* position_name(Architecture::Position position) {
  switch (position) {
    case Architecture::Position::none:
      return "none";
    case Architecture::Position::learned:
      return "learned";
    case Architecture::Position::rotary:
      return "rotary";
  }
  return "";
}

// "c2p and p2c": the stages that hold them.
std::string position_score_names(const DisentangledRule& rule) {
  return rule.c2p && rule.p2c ? "c2p and p2c" : rule.c2p ? "c2p" : "p2c";
}

std::string reading_text(const Architecture& model) {
  const bool words = !model.image && !model.features;
  const std::string vocabulary = words ? fmt::format("vocabulary {}, ", model.vocab_size) : "";
  const auto most = counted(model.max_positions, "token");
  if (model.alibi) return fmt::format("{}positions by ALiBi, made for texts of up to {}", vocabulary, most);
  if (model.relative)
    return fmt::format("{}biases of relative positions, made for texts of up to {}", vocabulary, most);
  if (model.disentangled) {
    const bool learned = model.position == Architecture::Position::learned;
    return fmt::format("{}scores of relative positions ({}), {}made for texts of up to {}", vocabulary,
                       position_score_names(*model.disentangled), learned ? "learned positions, " : "", most);
  }
  if (model.position == Architecture::Position::none) {
    return fmt::format("{}no positions of its own, made for texts of up to {}", vocabulary, most);
  }
  return fmt::format("{}{} positions up to {}", vocabulary, position_name(model.position), model.max_positions);
}
void add_image_rule(const Checkpoint& checkpoint, Description& description) {
  description.json["image"] = nullptr;
  if (!checkpoint.architecture().image) return;
  const ImageRule& rule = *checkpoint.architecture().image;
  const bool processed = checkpoint.image_processor() != nullptr;
  description.json["image"] = {{"height", rule.height},
                               {"width", rule.width},
                               {"patch", rule.patch},
                               {"grid", {rule.rows(), rule.columns()}},
                               {"class_token", rule.class_token},
                               {"registers", rule.registers},
                               {"preprocessor", processed}};
  description.text +=
      fmt::format("reads images (--image) of {} x {} pixels: {} x {} patches of {}{}{}{}\n", rule.width, rule.height,
                  rule.rows(), rule.columns(), rule.patch, rule.class_token ? ", a class token" : "",
                  rule.registers > 0 ? ", " + counted(rule.registers, "register") : "",
                  processed ? "" : "; no preprocessor_config.json says how an image becomes numbers");
}

void add_feature_rule(const Checkpoint& checkpoint, Description& description) {
  description.json["features"] = nullptr;
  const Architecture& architecture = checkpoint.architecture();
  if (!architecture.features) return;
  const std::int64_t frames = architecture.max_positions * FeatureRule::kFramesPerToken;
  description.json["features"] = {{"bands", architecture.features->bands}, {"frames", frames}};
  description.text += fmt::format("reads features of sounds (--features): [{}, {}], mel bands by frames\n",
                                  architecture.features->bands, frames);
}

Description describe_jpeg(const std::string& path) {
  const Image image = read_jpeg(path);
  Description description;
  description.json = {
      {"path", path}, {"kind", "picture"}, {"width", image.width}, {"height", image.height}, {"recipe", false}};
  description.text = fmt::format("{}: a JPEG picture, {} x {} pixels, for models that read images (--image)\n",
                                 printable(path), image.width, image.height);
  return description;
}

}  // namespace headscope::cli
