#include "app/frame/lesson_pictures.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "app/session/documents.h"
#include "app/session/lesson_stops.h"
#include "core/base/error.h"
#include "tests/app/session/session_fixture.h"
#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

class LessonPicturesTest : public ::testing::Test {
 protected:
  LessonPicturesTest() {
    settings_.export_folder = folder_.path();
    session_.draft.phrase = "a b c";
    session_.view.head = 4;
    for (int head = 0; head < 3; ++head) {
      ViewState view;
      view.head = head;
      session_.view.lesson.push_back(stop_of(view, "words"));
    }
  }
  // One pixel whose red says which head was shown.
  Image pixel() {
    Image image(1, 1);
    image.at(0, 0) = {static_cast<std::uint8_t>(session_.view.head), 0, 0, 255};
    return image;
  }
  void take() {
    pictures_.take(session_, settings_, state_, [this] { return pixel(); });
  }
  ui::LessonState& strip() { return state_.panels.get<ui::LessonState>(); }

  TemporaryFolder folder_;
  ManualSession manual_;
  Session& session_ = *manual_.session;
  Settings settings_;
  ui::UiState state_;
  LessonPictures pictures_;
};

TEST_F(LessonPicturesTest, EachStopIsANumberedPictureThatOpensAgain) {
  pictures_.start(session_, state_);
  for (int k = 0; k < 3; ++k) {
    ASSERT_TRUE(pictures_.running());
    EXPECT_EQ(session_.view.head, k);
    EXPECT_EQ(strip().shows, ui::LessonState::Shows::pictures);
    take();
  }
  EXPECT_FALSE(pictures_.running());
  EXPECT_EQ(session_.view.head, 4) << "what was shown before";
  EXPECT_EQ(strip().shows, ui::LessonState::Shows::recorder);
  manual_.jobs->step();
  EXPECT_FALSE(session_.jobs.current().failed) << session_.jobs.current().result;
  for (int k = 0; k < 3; ++k) {
    const std::string path = folder_.path() + "/headscope-lesson/" + std::to_string(k + 1) + ".png";
    const Document document = open_document(path, Request(), ViewState());
    EXPECT_EQ(document.request.phrase, "a b c");
    EXPECT_EQ(document.view.head, k);
    EXPECT_TRUE(document.view.lesson.empty()) << "a picture is of one stop";
  }
  pictures_.start(session_, state_);
  for (int k = 0; k < 3; ++k) take();
  manual_.jobs->step();
  EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/headscope-lesson-2/3.png")) << "nothing is replaced";
}

TEST_F(LessonPicturesTest, LeftInTheMiddleItWritesNothing) {
  pictures_.start(session_, state_);
  take();
  strip().shows = ui::LessonState::Shows::recorder;  // Escape
  take();
  EXPECT_FALSE(pictures_.running());
  EXPECT_EQ(session_.view.head, 4);
  EXPECT_FALSE(session_.jobs.current().running);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/headscope-lesson"));
}

TEST_F(LessonPicturesTest, WithoutAStopOrBesideAJobItDoesNotBegin) {
  session_.view.lesson.clear();
  pictures_.start(session_, state_);
  EXPECT_FALSE(pictures_.running());
  session_.view.lesson.push_back({"words", ""});
  session_.jobs.start("another", [](const CancelToken&, const std::function<void(double)>&) { return "done"; });
  pictures_.start(session_, state_);
  EXPECT_FALSE(pictures_.running());
  ASSERT_EQ(state_.notices.size(), 1U);
}

TEST_F(LessonPicturesTest, WhereNoPictureCanBeMadeItEnds) {
  pictures_.start(session_, state_);
  const auto refused = []() -> Image { throw Error("too large"); };
  EXPECT_THROW(pictures_.take(session_, settings_, state_, refused), Error);
  EXPECT_FALSE(pictures_.running());
  EXPECT_EQ(session_.view.head, 4);
}

TEST_F(LessonPicturesTest, AFolderThatCannotBeMadeIsSaid) {
  settings_.export_folder = "/proc/nowhere";
  pictures_.start(session_, state_);
  for (int k = 0; k < 3; ++k) take();
  manual_.jobs->step();
  EXPECT_TRUE(session_.jobs.current().failed);
  EXPECT_NE(session_.jobs.current().result.find("/proc/nowhere"), std::string::npos);
}

TEST(LessonPicturesInput, OnlyEscapeThePointerAndRisingButtonsComeThrough) {
  InputEvents input;
  input.keys = {{.key = KeyName::right}, {.key = KeyName::escape}};
  input.characters = {U'a'};
  input.dropped = {"/x"};
  input.mouse = {{.kind = MouseEvent::Kind::move},
                 {.kind = MouseEvent::Kind::wheel, .y = 1},
                 {.kind = MouseEvent::Kind::button, .down = true},
                 {.kind = MouseEvent::Kind::button, .down = false}};
  const InputEvents left = LessonPictures::input_of(input);
  ASSERT_EQ(left.keys.size(), 1U);
  EXPECT_EQ(left.keys[0].key, KeyName::escape);
  ASSERT_EQ(left.mouse.size(), 2U);
  EXPECT_EQ(left.mouse[0].kind, MouseEvent::Kind::move);
  EXPECT_FALSE(left.mouse[1].down);
  EXPECT_TRUE(left.characters.empty() && left.dropped.empty());
}

}  // namespace
}  // namespace headscope
