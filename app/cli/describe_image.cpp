// Pictures, and what models make of them.
#include <fmt/format.h>

#include "app/cli/describe.h"
#include "app/cli/output.h"
#include "core/io/jpeg.h"
#include "core/model/checkpoint.h"

namespace headscope::cli {

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
