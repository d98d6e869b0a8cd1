// The picture that a choice names: those of a whole model.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/session/export/export_job.h"
#include "core/attention/engine.h"
#include "core/base/cancel.h"
#include "core/picture/figure/figure.h"

namespace headscope {
namespace {

class ModelFigure : public testing::Test {
 protected:
  ModelFigure() {
    Request request;
    request.model = "demo:induction";
    request.phrase = "cat box ink fox jam cat";
    trace_ = Engine().run(request, CancelToken{});
    view_.main_view = MainView::lens;
    choice_.format = ExportFile::svg;
    choice_.file = "picture.svg";
  }
  ViewSpec figure(ExportSubject subject) {
    choice_.subject = subject;
    return *figure_of(choice_, *trace_, view_);
  }

  std::shared_ptr<const Trace> trace_;
  ViewState view_;
  ExportChoice choice_;
};

TEST_F(ModelFigure, ALensIsOffered) {
  const std::vector<ExportSubject> subjects = subjects_of(view_, false);
  EXPECT_NE(std::find(subjects.begin(), subjects.end(), ExportSubject::lens), subjects.end());
  EXPECT_EQ(std::find(subjects.begin(), subjects.end(), ExportSubject::attribution), subjects.end())
      << "no token is named";
  EXPECT_EQ(usual_subject(view_, false), ExportSubject::lens);
  view_.stage = StageId::output;
  const ViewSpec spec = figure(ExportSubject::lens);
  EXPECT_EQ(spec.view, ViewKind::lens);
  EXPECT_GT(figure_size({*trace_}, spec).width, 100);
  EXPECT_NE(equivalent_command(choice_, *trace_, view_).find(" --view lens "), std::string::npos);
  EXPECT_EQ(suggested_file(choice_, *trace_, view_, ""), "cat-box-ink-fox-jam-cat.lens.svg");
}

TEST_F(ModelFigure, ALensIsOfWhatTheViewShows) {
  EXPECT_EQ(figure(ExportSubject::lens).question.lens_of, LensOf::layers);
  EXPECT_EQ(equivalent_command(choice_, *trace_, view_).find("--lens-of"), std::string::npos);
  view_.lens.of = LensOf::heads;
  EXPECT_EQ(figure(ExportSubject::lens).question.lens_of, LensOf::heads);
  EXPECT_NE(equivalent_command(choice_, *trace_, view_).find(" --lens-of heads "), std::string::npos);
  EXPECT_GT(figure_size({*trace_}, figure(ExportSubject::lens)).height, 100);
}

TEST_F(ModelFigure, AnAttributionIsOfTheNamedTokens) {
  view_.lens = {0, 5, {28, 6}, AttributionBy::heads};
  const std::vector<ExportSubject> subjects = subjects_of(view_, false);
  EXPECT_NE(std::find(subjects.begin(), subjects.end(), ExportSubject::attribution), subjects.end());
  const ViewSpec spec = figure(ExportSubject::attribution);
  EXPECT_EQ(spec.at, std::vector<std::int64_t>{5});
  EXPECT_EQ(spec.question.tokens, "28,6");
  EXPECT_EQ(spec.question.by, AttributionBy::heads);
  EXPECT_GT(figure_size({*trace_}, spec).height, 100);
  const std::string command = equivalent_command(choice_, *trace_, view_);
  for (const char* words : {" --view attribution ", " --at 5 ", " --token 28,6 ", " --by heads "}) {
    EXPECT_NE(command.find(words), std::string::npos) << words << " in " << command;
  }
  view_.lens.position = -1;
  EXPECT_EQ(figure(ExportSubject::attribution).at, std::vector<std::int64_t>{trace_->query_len() - 1});
}

TEST_F(ModelFigure, OtherPicturesAreAsBesideALayer) {
  view_.quantity = StageId::scores;
  view_.weight_map = ColorMap::magma;
  EXPECT_EQ(figure(ExportSubject::head).view, ViewKind::head);
  EXPECT_EQ(figure(ExportSubject::head).colormap, std::nullopt) << "scores have the colours of signed numbers";
}

}  // namespace
}  // namespace headscope
