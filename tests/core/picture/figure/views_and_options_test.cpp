// Every option of VIEW on every view: the picture changes, or the option is refused. Views and options are those of the
// tables; what stands here is what a view cannot be drawn without, and values to try.
#include "core/picture/view_reach.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/attention/engine.h"
#include "core/backend/backend.h"
#include "core/base/error.h"
#include "core/export/html_page.h"
#include "core/picture/figure/figure.h"
#include "core/picture/figure/theirs_contents.h"
#include "core/picture/idle_view_options.h"
#include "core/picture/view_option.h"
#include "core/picture/view_options.h"
#include "core/request/request_text.h"
#include "core/sweep/sweep.h"

namespace headscope {
namespace {

using Options = std::vector<std::pair<std::string, std::string>>;

// What a picture of the view needs to be drawn at all.
Options needed(ViewKind kind) {
  switch (kind) {
    case ViewKind::sensitivity:
    case ViewKind::explanation:
      return {{"at", "0,0,4,1"}};
    case ViewKind::attribution:
      return {{"at", "4"}, {"token", "ink"}};
    case ViewKind::score:
      return {{"at", "5,1"}};
    case ViewKind::sweep:
      return {{"metric", "logit:ink-box"}};
    default:
      return {};
  }
}

// Values to try, none of them the default.
const std::map<std::string, std::vector<std::string>>& values() {
  static const std::map<std::string, std::vector<std::string>> texts = {
      {"stage", {"raw_scores", "query", "concat", "output"}},
      {"head", {"3"}},
      {"colormap", {"gray", "magma"}},
      {"range", {"0,0.2", "row", "fit"}},
      {"log", {"on"}},
      {"cell", {"9"}},
      {"labels", {"off"}},
      {"theme", {"light", "contrast"}},
      {"width", {"1200", "150mm"}},
      {"token", {"2", "fox"}},
      {"heads-shown", {"1,2"}},
      {"hide-below", {"0.5"}},
      {"sentences", {"a-a"}},
      {"aggregate", {"mean", "max", "rollout", "flow"}},
      {"at", {"3", "0,0,3,2", "4,2"}},
      {"by", {"weights", "scores", "components", "heads", "sources", "query", "key", "value"}},
      {"along", {"column"}},
      {"combine", {"mean"}},
      {"dpi", {"200"}},
      {"font-size", {"7"}},
      {"background", {"white", "transparent"}},
      {"caption", {"off"}},
      {"recipe-line", {"off"}},
      {"key-labels", {"outer"}},
      {"loss", {"on"}},
      {"metric", {"prob:box", "loss", "kl"}},
      {"direction", {"noise"}},
      {"ablation", {"zero", "mean"}},
      {"from", {"0:0"}},
      {"into", {"1:0"}},
      {"lens-of", {"attention", "heads"}}};
  return texts;
}

// Of the words of --by one is the default, which depends on the view and its stage; --view concat is of that stage.
bool may_be_usual(const ViewOption& option, const ViewSpec& view) {
  const std::string_view name = option.name;
  return name == "by" || (name == "stage" && view.view == ViewKind::concat && view.stage == StageId::concat);
}

ViewSpec with(const Options& options, ViewSpec view = {}) {
  for (const auto& [name, value] : options) find_view_option(name)->set(view, value);
  return view;
}

ViewSpec base_of(ViewKind kind, Options more = {}) {
  ViewSpec view;
  view.view = kind;
  return with(more, with(needed(kind), view));
}

// As the command line takes it; nullopt: its value is refused.
std::optional<ViewSpec> given(const ViewOption& option, const std::string& value, ViewSpec view) {
  try {
    option.set(view, value);
    if (option.reach.as_other.has(view.view)) find_view_option(option.reach.other)->set(view, value);
    return view;
  } catch (const UsageError&) {
    return {};
  }
}

bool is_refused(const ViewOption& option, const ViewSpec& view, bool on_page) {
  try {
    refuse_idle(option, view, on_page);
    return false;
  } catch (const UsageError& error) {
    EXPECT_EQ(error.option(), option.name);
    EXPECT_NE(error.expected(), "") << error.what();
    return true;
  }
}

Request request_of(const std::string& phrase) {
  Request request;
  request.model = "demo:induction";
  request.phrase = phrase;
  return request;
}

class ViewsAndOptions : public ::testing::Test {
 protected:
  static std::shared_ptr<const Trace> run(const Request& request) {
    EngineOptions options;
    options.whole_model = true;
    return Engine(options).run(request, {});
  }

  // The file's own text; "" where the figure is refused.
  std::string drawn(const ViewSpec& view) {
    try {
      const Sweep* of_both = view.view == ViewKind::sweep ? &swept(view) : nullptr;
      FigureSource source{*b_, a_.get(), of_both};
      const std::unique_ptr<const TheirsFigure> theirs = with_theirs_ ? theirs_of(view.stage) : nullptr;
      source.theirs = theirs.get();
      const FigureDocument figure = figure_svg(source, view);
      std::ostringstream out;
      figure.write(out, {}, [](double) {});
      return out.str();
    } catch (const UsageError&) {
      return "";
    }
  }

  std::string page(const ViewSpec& view) {
    try {
      std::ostringstream out;
      html_page(*b_, view, {}).write(out, {}, [](double) {});
      return out.str();
    } catch (const UsageError&) {
      return "";
    }
  }

  // Every option of the command line on one view.
  template <typename Draw>
  void check(const ViewSpec& base, bool on_page, const Draw& draw) {
    const std::string usual = draw(base);
    ASSERT_NE(usual, "") << view_json(base) << ": say in needed() what it needs";
    for (const ViewOption& option : view_options()) {
      if (!option.on_command_line || std::string_view(option.name) == "view") continue;
      const auto tried = values().find(option.name);
      ASSERT_NE(tried, values().end()) << option.name << " has no value to try";
      for (const std::string& value : tried->second) {
        const std::optional<ViewSpec> view = given(option, value, base);
        if (!view || *view == base || is_default(option, *view)) continue;
        const std::string picture = draw(*view);
        const bool same = picture.empty() || picture == usual;
        const bool refused = is_refused(option, *view, on_page);
        const std::string what = view_json(base) + " and --" + option.name + " " + value;
        EXPECT_TRUE(same || !refused) << what << ": is refused, and would change the picture";
        EXPECT_TRUE(!same || refused || picture.empty() || may_be_usual(option, *view)) << what << ": does nothing";
        ++(refused ? refused_ : taken_);
      }
    }
  }

  const std::shared_ptr<const Trace> a_ = run(request_of("cat ink box fox jam cat"));
  std::shared_ptr<const Trace> b_ = run(request_of("cat box ink fox jam cat"));
  int taken_ = 0, refused_ = 0;
  bool with_theirs_ = false;  // a difference is of a stage of other code

 private:
  // Numbers of A as a stage of other code.
  std::unique_ptr<const TheirsFigure> theirs_of(StageId stage) {
    const auto backend = make_reference_backend();
    auto figure = std::make_unique<TheirsFigure>();
    const ExternalStage external{stage, a_->tensor(stage), false};
    figure->found.stage = stage;
    figure->found.where.cells = figure->found.where.of_cells = 1;
    figure->found.where.places = {1};
    figure->sides = stage_sides(*b_, external, figure->found, {}, backend, {});
    return figure;
  }

  // As `render` runs it.
  const Sweep& swept(const ViewSpec& view) {
    const ModelQuestion& asked = view.question;
    for (const auto& [question, at, sweep] : sweeps_) {
      if (question == asked && at == view.at) return *sweep;
    }
    SweepQuestion question;
    question.patched = b_->request;
    if (!asked.ablation) question.source = a_->request;
    question.metric = asked.metric;
    question.patch = asked.patch;
    question.at = position_asked(view);
    question.ablation = asked.ablation;
    question.from = asked.from;
    question.into = asked.into;
    if (!asked.ablation && asked.direction == SweepDirection::noise) std::swap(question.patched, question.source);
    sweeps_.emplace_back(asked, view.at, std::make_unique<const Sweep>(sweep({}, question, {})));
    return *std::get<2>(sweeps_.back());
  }

  std::vector<std::tuple<ModelQuestion, std::vector<std::int64_t>, std::unique_ptr<const Sweep>>> sweeps_;
};

TEST_F(ViewsAndOptions, EveryOptionChangesThePictureOfEveryViewOrIsRefused) {
  for (const ViewKind kind : all_view_kinds()) {
    check(base_of(kind), false, [&](const ViewSpec& view) { return drawn(view); });
  }
  // Where what is said beside the view decides.
  for (const ViewSpec& base :
       {base_of(ViewKind::layers, {{"aggregate", "mean"}}), base_of(ViewKind::sweep, {{"ablation", "zero"}}),
        base_of(ViewKind::heads, {{"width", "150mm"}}), base_of(ViewKind::text, {{"along", "column"}})}) {
    check(base, false, [&](const ViewSpec& view) { return drawn(view); });
  }
  EXPECT_GT(taken_, 200);
  EXPECT_GT(refused_, 200);
}

TEST_F(ViewsAndOptions, EveryOptionChangesADifferenceFromOtherCodeOrIsRefused) {
  with_theirs_ = true;
  for (const char* stage : {"weights", "output"}) {
    check(base_of(ViewKind::difference, {{"stage", stage}}), false, [&](const ViewSpec& view) { return drawn(view); });
  }
}

TEST_F(ViewsAndOptions, AHeadIsOfStagesThatHaveAMapForEach) {
  const ViewOption& head = *find_view_option("head");
  for (const ViewKind kind : {ViewKind::head, ViewKind::stage, ViewKind::difference}) {
    for (const Stage& stage : b_->stages) {
      ViewSpec base = base_of(kind);
      base.stage = stage.id;
      const std::string usual = drawn(base);
      const ViewSpec other = *given(head, "3", base);
      const std::string what = std::string(view_kind_name(kind)) + " of " + std::string(stage_name(stage.id));
      const std::string picture = drawn(other);
      if (usual.empty() || picture.empty()) continue;
      EXPECT_EQ(picture == usual, is_refused(head, other, false)) << what;
    }
  }
}

TEST_F(ViewsAndOptions, EveryOptionChangesAPageOrIsRefused) {
  for (const ViewKind kind : {ViewKind::heads, ViewKind::head, ViewKind::layers, ViewKind::arcs}) {
    check(base_of(kind), true, [&](const ViewSpec& view) { return page(view); });
  }
}

// How weights are shown matters where weights are drawn.
TEST_F(ViewsAndOptions, HowWeightsAreShownChangesThePicturesOfWeightsAlone) {
  const std::shared_ptr<const Trace> plain = b_;
  const Options shown{{"hide-tokens", "first"}, {"renormalise", "on"}, {"weighting", "value-norm"}, {"top-p", "0.5"}};
  for (const auto& [name, value] : shown) {
    Request request = plain->request;
    find_request_option(name)->set(request, value);
    const std::shared_ptr<const Trace> other = run(request);
    for (const ViewKind kind : all_view_kinds()) {
      for (const StageId stage : {StageId::weights, StageId::raw_scores}) {
        ViewSpec view = base_of(kind);
        view.stage = stage;
        b_ = plain;
        const std::string usual = drawn(view);
        b_ = other;
        const std::string picture = drawn(view);
        if (usual.empty() || picture.empty()) continue;
        EXPECT_EQ(picture != usual, draws_shown_weights(view)) << view_json(view) << name;
      }
    }
  }
}

}  // namespace
}  // namespace headscope
