#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "app/cli/commands.h"
#include "app/cli/compute.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/request_arguments.h"
#include "app/cli/view_arguments.h"
#include "core/base/error.h"
#include "core/base/file_name.h"
#include "core/export/recipe.h"
#include "core/io/atomic_file.h"
#include "core/io/png.h"
#include "core/picture/figure.h"

namespace headscope::cli {

namespace {

struct Target {
  std::string path;
  bool svg = false;
};

Target picture_target(const Arguments& given) {
  if (!given.has("out")) {
    throw UsageError("out", "found nothing", "--out FILE.png or FILE.svg, the picture to write");
  }
  const std::string path = given.get("out");
  const std::string name = std::filesystem::path(path).filename().string();
  const bool svg = has_ending(name, ".svg");
  if (!svg && !has_ending(name, ".png")) {
    throw UsageError("out", fmt::format("found '{}'", path), "a name that ends in .png or .svg");
  }
  return {path, svg};
}

// Lays the picture out, which may refuse it, and then writes it; returns "640 x 480 pixels".
std::string write_picture(const Target& target, const FigureSource& source, const ViewSpec& view,
                          const CancelToken& cancel, ProgressLine& progress) {
  const auto drawn = [&](double share) { progress.show("drawing " + target.path, share); };
  const auto recipe = recipe_of(source, view);
  if (target.svg) {
    const FigureSvg figure = figure_svg(source, view, cancel);
    write_file_atomically(target.path, [&](std::ostream& out) { figure.write(out, recipe, drawn); });
    return fmt::format("{} x {} pixels", figure.width, figure.height);
  }
  const PictureRows picture = figure_rows(source, view, cancel);
  write_file_atomically(target.path, [&](std::ostream& out) { write_png(out, picture, recipe, cancel, drawn); });
  return fmt::format("{} x {} pixels", picture.width, picture.height);
}

// The request that a difference subtracts from; nothing for other views.
std::optional<Request> subtracted_from(const Arguments& given, const GivenRequest& request, const ViewSpec& view) {
  if (given.has("against") && view.view != ViewKind::difference) {
    throw UsageError("against", fmt::format("found with --view {}", view_kind_name(view.view)),
                     "with --view difference");
  }
  if (view.view != ViewKind::difference) return std::nullopt;
  return request_against(given, request, "the session or picture of the other result");
}

void render(const Arguments& given, const CancelToken& cancel) {
  const Target target = picture_target(given);
  const std::int64_t memory = stage_memory_of(given);
  const GivenRequest request = given_request(given);
  const ViewSpec view = given_view(given, request.view.value_or(ViewSpec()));

  const std::optional<Request> other = subtracted_from(given, request, view);
  const std::shared_ptr<const Trace> against = other ? computed_trace(*other, memory, cancel) : nullptr;
  const std::shared_ptr<const Trace> trace = computed_trace(request.request, memory, cancel);
  ProgressLine progress;
  progress.show("laying out " + target.path);
  const std::string size = write_picture(target, {*trace, against.get()}, view, cancel, progress);
  progress.erase();
  std::error_code error;
  const auto bytes = std::filesystem::file_size(target.path, error);
  print(fmt::format("{}  {}, {}\n", printable(target.path), size, size_text(error ? 0 : static_cast<double>(bytes))));
}

}  // namespace

Command render_command() {
  CommandSpec spec;
  spec.name = "render";
  spec.usage = "REQUEST VIEW --out FILE.png|FILE.svg";
  spec.summary =
      "Computes a request and draws it. The picture carries its recipe: 'render --session FILE.png' draws it again.";
  spec.groups = {
      {"Output", {{"out", "FILE.png|FILE.svg", "The picture to write; an existing one is replaced at once."}}},
      view_group(),
      request_group()};
  spec.examples = {
      "headscope-cli render --phrase 'Hola mi nombre es Alex' --mask causal --out heads.png",
      "headscope-cli render --phrase 'a b c' --view head --head 3 --theme light --out head3.svg",
      "headscope-cli render --session heads.png --stage scores --out scores.png",
      "headscope-cli render --session wide.json --against tired.json --head 7 --out difference.png",
      "headscope-cli render --model demo:pronouns --view sensitivity --stage weights --at 0,7,7,1 --head 7 "
      "--out sensitivity.svg"};
  return {spec, render};
}

}  // namespace headscope::cli
