#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/compute.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/recipe_words.h"
#include "app/cli/render_corpus.h"
#include "app/cli/render_file.h"
#include "app/cli/render_sweep.h"
#include "app/cli/render_theirs.h"
#include "app/cli/request_arguments.h"
#include "app/cli/view_arguments.h"
#include "app/session/session_paths.h"
#include "core/base/error.h"
#include "core/base/file_name.h"
#include "core/export/html_page.h"
#include "core/export/recipe.h"
#include "core/heads/showing.h"
#include "core/heads/shown_weights.h"
#include "core/io/atomic_file.h"
#include "core/io/png.h"
#include "core/picture/figure/figure.h"
#include "core/picture/text/text_fonts.h"
#include "core/picture/view_spec.h"
#include "core/request/request_text.h"
#include "core/request/stage.h"

namespace headscope::cli {

namespace {

struct Target {
  std::string path;
  FigureDocument (*document)(const FigureSource&, const ViewSpec&, const CancelToken&) = nullptr;  // null: a PNG
  bool page = false;                                                                               // HTML
};

Target picture_target(const Arguments& given) {
  if (!given.has("out")) {
    throw UsageError("out", "found nothing",
                     "--out FILE.png, FILE.svg or FILE.pdf, the picture to write, or FILE.html, a page of numbers");
  }
  const std::string path = given.get("out");
  const std::string name = std::filesystem::path(path).filename().string();
  if (has_ending(name, ".svg")) return {path, figure_svg};
  if (has_ending(name, ".pdf")) return {path, figure_pdf};
  if (has_ending(name, ".png")) return {path};
  if (has_ending(name, ".html")) return {path, nullptr, true};
  throw UsageError("out", fmt::format("found '{}'", path), "a name that ends in .png, .svg, .pdf or .html");
}

// Lays the picture out, which may refuse it, and then writes it; returns "640 x 480 pixels".
std::string write_picture(const Target& target, const FigureSource& source, const ViewSpec& view,
                          const CancelToken& cancel, ProgressLine& progress) {
  const auto drawn = [&](double share) { progress.show("drawing " + target.path, share); };
  const auto recipe = recipe_of(source, view, "", {.whole_model = target.page, .cancel = cancel});
  if (target.page) {
    const HtmlPage page = html_page(source, view, cancel);
    write_file_atomically(target.path, [&](std::ostream& out) { page.write(out, recipe, drawn); });
    return "page";
  }
  if (target.document != nullptr) {
    const FigureDocument figure = target.document(source, view, cancel);
    write_file_atomically(target.path, [&](std::ostream& out) { figure.write(out, recipe, drawn); });
    return fmt::format("{} x {} pixels", figure.width, figure.height);
  }
  const PictureRows picture = figure_rows(source, view, cancel);
  write_file_atomically(target.path, [&](std::ostream& out) { write_png(out, picture, recipe, cancel, drawn); });
  return fmt::format("{} x {} pixels", picture.width, picture.height);
}

// The request of the other result; nothing for views of one result.
std::optional<Request> other_request(const Arguments& given, const GivenRequest& request, const ViewSpec& view) {
  const bool ablates = view.view == ViewKind::sweep && view.question.ablation;
  if (takes_another_result(view.view) && !ablates) {
    return request_against(given, request, "the session or picture of the other result");
  }
  if (given.has("against")) {
    throw UsageError("against", fmt::format("found with --view {}", view_kind_name(view.view)),
                     "with --view difference or sweep");
  }
  return std::nullopt;
}

// Boxes in place of letters would tell nothing.
void refuse_without_fonts() {
  if (!font_file(FontRole::words).path.empty()) return;
  throw Error(
      "fonts: found none installed, and none built into this program; expected one, e.g. the package "
      "fonts-jetbrains-mono");
}

void write_target(const Target& target, const FigureSource& source, const ViewSpec& view, const CancelToken& cancel) {
  ProgressLine progress;
  progress.show("laying out " + target.path);
  if (!target.page) refuse_without_fonts();
  const std::string size = write_picture(target, source, view, cancel, progress);
  progress.erase();
  if (!target.page && draws_with_built_in_font()) {
    print_notice("no font is installed: the text is drawn with the font that the program carries");
  }
  std::error_code error;
  const auto bytes = std::filesystem::file_size(target.path, error);
  print(fmt::format("{}  {}, {}\n", printable(target.path), size, size_text(error ? 0 : static_cast<double>(bytes))));
}

// How weights are shown says nothing of a view that draws none, or of a page of scores.
void refuse_idle_showing(const Arguments& given, const Request& request, const ViewSpec& view, bool on_page) {
  if (on_page ? is_shown_stage(view.stage) : draws_shown_weights(view)) return;
  for (const SaidOption& said : said_showing(request)) {
    if (!given.has(said.name)) continue;
    Request only;
    find_request_option(said.name)->set(only, said.value);
    refuse_showing(only, fmt::format("--view {} of {}", view_kind_name(view.view), stage_name(view.stage)));
  }
}

// Views of a whole model, and a page, hold all layers; another picture, the one that is shown.
bool needs_all_layers(const Target& target, ViewKind view) {
  return target.page || view == ViewKind::lens || view == ViewKind::attribution;
}

void render(const Arguments& given, const CancelToken& cancel) {
  const Target target = picture_target(given);
  const std::int64_t memory = stage_memory_of(given);
  std::optional<SessionFile> session;
  if (given.has("session")) session = read_session_with_paths(given.get("session"));
  if (const auto corpus = session ? corpus_picture_of(*session, given.get("session")) : std::nullopt) {
    refuse_without_fonts();
    return render_corpus(given, *session, *corpus, cancel);
  }
  const std::string theirs_of_session = session ? session->theirs : "";
  const GivenRequest request = given_request(without_sweep_patch(given), std::move(session));
  ViewSpec view = with_sweep_patch(given, given_view(given, request.view.value_or(ViewSpec())));
  if (target.page) check_page_view(view.view);
  refuse_idle_options(given, view, target.page);
  refuse_idle_showing(given, request.request, view, target.page);

  const std::string theirs_file = theirs_asked(given, theirs_of_session, view);
  // A session's logarithms may have been meant for another view.
  if (view.view == ViewKind::difference && !given.has("log") && (theirs_file.empty() || !is_weight_like(view.stage))) {
    view.log_scale = false;
  }
  const std::optional<Request> other = theirs_file.empty() ? other_request(given, request, view) : std::nullopt;
  std::optional<Sweep> sweep;
  if (view.view == ViewKind::sweep) sweep = swept(request.request, other, view, memory, cancel);
  const std::shared_ptr<const Trace> against = other ? quiet_trace(*other, memory, cancel) : nullptr;
  if (against != nullptr) say_of_against(given, *against, cancel);
  const bool all_layers = needs_all_layers(target, view.view);
  const std::shared_ptr<const Trace> trace = computed_trace(given, request.request, memory, cancel, all_layers);
  FigureSource source{*trace, against.get(), sweep ? &*sweep : nullptr};
  std::optional<TheirsFigure> theirs;
  if (!theirs_file.empty()) {
    theirs = read_theirs(given, theirs_file, *trace, view, cancel);
    // The recipe of such a picture says itself what it shows.
    if (theirs_of_session.empty()) view = at_first_difference(view, *theirs, *trace, given.has("head"));
    source.theirs = &*theirs;
  }
  write_target(target, source, settled_view(view, *trace), cancel);
}

// REQUEST, whose --patch takes the words of a sweep here.
OptionGroup request_group_of_render() {
  OptionGroup group = request_group();
  for (OptionSpec& option : group.options) {
    if (option.name != "patch") continue;
    option.placeholder += "|heads|positions|stages|paths";
    option.help += std::string(" With --view sweep: ") + kSweepPatchHelp;
  }
  return group;
}

}  // namespace

void check_picture_name(const Arguments& given) {
  picture_target(given);
}

void render_to_file(const Arguments& given, const FigureSource& source, const ViewSpec& view,
                    const CancelToken& cancel) {
  write_target(picture_target(given), source, view, cancel);
}

Command render_command() {
  CommandSpec spec;
  spec.name = "render";
  spec.usage = "REQUEST VIEW --out FILE.png|FILE.svg|FILE.pdf|FILE.html";
  spec.summary =
      "Computes a request and draws it. The picture carries its recipe: 'render --session FILE.png' draws it again, "
      "also "
      "a picture of the heads of a corpus, from the corpus's file.";
  spec.groups = {{"Output",
                  {{"out", "FILE.png|FILE.svg|FILE.pdf|FILE.html",
                    "The picture to write; an existing one is replaced at once. HTML: a page that needs nothing else, "
                    "with the maps "
                    "of all layers as numbers; the number of a cell shows on mouse move and keyboard focus."}}},
                 view_group(),
                 request_group_of_render()};
  spec.examples = {
      "headscope-cli render --phrase 'Hola mi nombre es Alex' --mask causal --out heads.png",
      "headscope-cli render --phrase 'a b c' --view head --head 3 --theme light --out head3.svg",
      "headscope-cli render --phrase 'a b c' --width 85mm --font-size 7 --background white --heads-shown 0,2 --out "
      "figure.pdf",
      "headscope-cli render --phrase 'The animal was too tired' --out page.html",
      "headscope-cli render --session heads.png --stage scores --out scores.png",
      "headscope-cli render --session wide.json --against tired.json --head 7 --out difference.png",
      "headscope-cli render --phrase 'a b c' --theirs weights.npy --stage weights --out theirs.png",
      "headscope-cli render --model demo:induction --phrase 'cat box ink fox jam cat box' --view lens --out lens.png",
      "headscope-cli render --model demo:induction --phrase 'cat box ink fox cat' --view attribution --at 4 --token "
      "box,ink --by heads --out logit.png",
      "headscope-cli render --session wide.json --against tired.json --view sweep --patch positions --metric kl --out "
      "sweep.png",
      "headscope-cli render --model demo:pronouns --view scatter --head 7 --out scatter.svg",
      "headscope-cli render --model demo:pronouns --view text --head 7 --token 7 --out text.svg",
      "headscope-cli render --model demo:pronouns --view sensitivity --stage weights --at 0,7,7,1 --head 7 "
      "--out sensitivity.svg"};
  return {spec, render};
}

}  // namespace headscope::cli
