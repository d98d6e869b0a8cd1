// Nothing in a header moves by more than a pixel when one of its segments is pressed: not the segments themselves, and
// no control that is there before and after.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "app/session/documents.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

// The controls whose names begin with one of `prefixes` and whose places lie in the line of `name`.
std::map<std::string, Rect> controls_beside(Driver& d, const std::string& name) {
  const Rect line = d.rect(name);
  std::map<std::string, Rect> found;
  for (const auto& [other, rect] : d.probe.rects) {
    const bool same_line = rect.min.y >= line.min.y - 4 && rect.max.y <= line.max.y + 4;
    if (same_line && rect.height() > 0) found[other] = rect;
  }
  return found;
}

// Presses every segment of `name` in turn, then the first again. Compared with those of the press before are the
// controls of the same line whose names begin with `panel`: other panels may be arranged anew. `down`: so many pixels
// may the line itself move.
void expect_steady(Driver& d, const std::string& name, const std::string& panel, float down = 1) {
  std::vector<std::string> segments = d.names(name + "/");
  ASSERT_GE(segments.size(), 2u) << name;
  segments.push_back(segments.front());
  std::map<std::string, Rect> before = controls_beside(d, name);
  for (const std::string& segment : segments) {
    d.click(segment);
    d.step();
    ASSERT_TRUE(d.has(name)) << segment;
    const std::map<std::string, Rect> after = controls_beside(d, name);
    for (const auto& [other, rect] : before) {
      const auto found = after.find(other);
      if (found == after.end() || !other.starts_with(panel)) continue;
      EXPECT_LE(std::abs(found->second.min.x - rect.min.x), 1) << other << " when " << segment << " is pressed";
      EXPECT_LE(std::abs(found->second.min.y - rect.min.y), down) << other << " when " << segment << " is pressed";
    }
    before = after;
  }
}

// `stages`: in a low window a large head has the place of the stages, and the row of heads stands higher by them.
struct Window {
  int width, height;
  float stages = 1;
};
constexpr Window kWindows[] = {{1600, 1000}, {1280, 800, 40}, {960, 640, 40}};

TEST(SteadyHeaders, Heads) {
  for (const Window& w : kWindows) {
    Driver d(phrase_document(kTwelve), w.width, w.height);
    expect_steady(d, "heads/show", "heads/show", w.stages);
  }
}

TEST(SteadyHeaders, Concat) {
  Document document = phrase_document(kTwelve);
  document.request.merge = Merge::direct;
  Driver d(document);
  expect_steady(d, "concat/shows", "concat/");
  d.click("concat/shows/concat");
  expect_steady(d, "concat/provenance", "concat/");
}

TEST(SteadyHeaders, BugLab) {
  for (const Window& w : kWindows) {
    Driver d(phrase_document(kTwelve), w.width, w.height);
    d.ctrl(KeyName::b);
    expect_steady(d, "bug_lab/mode", "bug_lab/mode");
    d.click("bug_lab/mode/mistakes");
    expect_steady(d, "bug_lab/shows", "bug_lab/");
  }
}

TEST(SteadyHeaders, ScriptAndSensitivity) {
  Driver d(phrase_document(kTwelve));
  d.key(KeyName::p, true, true);
  expect_steady(d, "script/as", "script/as");
  d.key(KeyName::g, true, true);
  d.step(3);
  expect_steady(d, "sensitivity/by", "sensitivity/");
}

TEST(SteadyHeaders, RequestAndDialogs) {
  Driver d(phrase_document(kTwelve));
  expect_steady(d, "request/merge", "request/");
  expect_steady(d, "request/keys", "request/");
  d.ctrl(KeyName::comma);
  expect_steady(d, "settings/theme", "settings/");
  d.key(KeyName::escape);
  d.ctrl(KeyName::e);
  expect_steady(d, "export/scale", "export/");
  expect_steady(d, "export/format", "export/format");
}

TEST(SteadyHeaders, Mask) {
  Driver d(phrase_document(kTwelve));
  d.ctrl(KeyName::m);
  d.step();
  expect_steady(d, "mask/paints", "mask/");
  expect_steady(d, "mask/tool", "mask/");
}

TEST(SteadyHeaders, Layers) {
  Driver d(open_document("demo:pronouns", Request(), ViewState()));
  d.key(KeyName::f3);
  d.step(3);
  expect_steady(d, "layers/aggregate", "layers/aggregate");
}

}  // namespace
}  // namespace headscope::ui
