// The chips of the mask: every label is whole in its chip, however narrow the panel is.
#include "app/ui/request/mask_chips.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

std::vector<std::string> labels() {
  std::vector<std::string> all = {"paint"};
  for (const MaskTermInfo* info : mask_chips()) all.emplace_back(info->chip);
  return all;
}

// text() records what it draws after it was cut: a label that is too wide is there with an ellipsis.
bool has_whole_label(const Driver& d, const Rect& chip, const std::string& label) {
  return std::any_of(d.texts.begin(), d.texts.end(), [&](const DrawnText& text) {
    return text.words == label && chip.contains({text.at.x, chip.center().y}) && text.at.y >= chip.min.y &&
           text.at.y < chip.max.y;
  });
}

TEST(MaskChips, NoLabelIsWiderThanItsChip) {
  for (const int scale : {1, 2}) {
    Driver d(1600 * scale, 1000 * scale, static_cast<float>(scale));
    const float usual = d.session.view.request_width;
    for (const bool on : {false, true}) {
      if (on) {  // letters of chips that are on are wider
        for (const MaskTermInfo* info : mask_chips()) {
          const std::string path = info->kind == MaskTerm::Kind::file ? "missing.npy" : "";
          d.session.draft.mask.push_back({info->kind, info->chip_number, path});
        }
        d.session.draft.paint = {PaintedCells{}};
      }
      for (const float width : {220.0F, usual, 480.0F}) {
        d.session.view.request_width = width;
        d.step();
        const Rect panel = d.rect("request");
        for (const std::string& label : labels()) {
          const Rect chip = d.rect("request/mask/" + label);
          EXPECT_TRUE(has_whole_label(d, chip, label)) << label << " at " << width << " x " << scale;
          EXPECT_TRUE(chip.min.x >= panel.min.x && chip.max.x <= panel.max.x) << label << " at " << width;
        }
      }
    }
  }
}

TEST(MaskChips, StandInRowsWithoutOverlapping) {
  Driver d;
  for (const float width : {220.0F, 264.0F, 420.0F}) {
    d.session.view.request_width = width;
    d.step();
    std::vector<Rect> chips;
    for (const std::string& label : labels()) chips.push_back(d.rect("request/mask/" + label));
    for (std::size_t a = 0; a < chips.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const bool apart = chips[a].max.x <= chips[b].min.x || chips[b].max.x <= chips[a].min.x ||
                           chips[a].max.y <= chips[b].min.y || chips[b].max.y <= chips[a].min.y;
        EXPECT_TRUE(apart) << labels()[a] << " and " << labels()[b] << " at " << width;
      }
    }
    const Rect all = d.rect("request/mask");
    EXPECT_LE(all.max.y, d.rect("request/mask_order").min.y) << "the panel goes on below them, at " << width;
  }
}

TEST(MaskChips, AModelsOwnMaskIsLitAndLocked) {
  Driver d(open_document(HEADSCOPE_SOURCE_DIR "/tests/golden/models/gpt2", Request(), ViewState()));
  EXPECT_TRUE(d.has("request/mask/causal/own"));
  EXPECT_FALSE(d.has("request/mask/causal"));
  d.click("request/mask/causal/own");
  EXPECT_TRUE(d.session.draft.mask.empty());
  EXPECT_FALSE(d.session.problem());
}

TEST(MaskChips, PrefixSaysThatItWidensNothingBesideCausal) {
  Driver d;
  d.session.draft.mask = {{MaskTerm::Kind::prefix, 2, ""}};
  d.step();
  EXPECT_FALSE(d.has("request/mask/prefix/note"));
  d.click("request/mask/causal");
  EXPECT_TRUE(d.has("request/mask/prefix/note"));
}

}  // namespace
}  // namespace headscope::ui
