// Every option of VIEW on every view: the picture changes, or the option is refused. Views and options are those of the
// tables; what stands here is what a view cannot be drawn without, and values to try.
#include "core/picture/view_reach.h"

#include <gtest/gtest.h>

#include <algorithm>
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
#include "tests/core/picture/figure/tried_options.h"

namespace headscope {
namespace {

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
      const auto tried = tried_values().find(option.name);
      ASSERT_NE(tried, tried_values().end()) << option.name << " has no value to try";
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
    for (const char* width : {"600", "85mm"}) {
      check(base_of(ViewKind::difference, {{"stage", stage}, {"width", width}}), false,
            [&](const ViewSpec& view) { return drawn(view); });
    }
  }
}

// What is for paper alone does nothing on paper either, where a view has nothing that it is about.
TEST_F(ViewsAndOptions, EveryOptionOfPaperChangesThePictureOnPaperOrIsRefused) {
  for (const ViewKind kind : all_view_kinds()) {
    const ViewSpec base = base_of(kind, {{"width", kind == ViewKind::neurons ? "300mm" : "150mm"}});
    const std::string usual = drawn(base);
    ASSERT_NE(usual, "") << view_json(base);
    for (const auto& [name, value] : Options{{"key-labels", "outer"}, {"font-size", "7"}, {"dpi", "200"}}) {
      const ViewOption& option = *find_view_option(name);
      const ViewSpec view = with({{name, value}}, base);
      EXPECT_NE(drawn(view) == usual, !is_refused(option, view, false)) << view_json(view);
    }
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
