// Matrices that are computed when read by a backend whose pictures stay on the device of the test's context.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "app/gl/compute_backend.h"
#include "core/attention/on_demand.h"
#include "core/attention/row_edits.h"
#include "core/backend/backend_factory.h"
#include "core/backend/device_pyramid.h"
#include "core/request/request_text.h"
#include "tests/app/gl/gl_fixture.h"
#include "tests/app/gl/not_finite.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {

// Two heads of three matrices that are computed when read, by a backend that shares textures with the store's context.
struct Computed {
  std::shared_ptr<const Backend> backend;
  std::shared_ptr<const Mask> mask;
  std::shared_ptr<const OnDemand> cells;
  std::int64_t rows, columns;
  std::shared_ptr<const RowEdits> edits = nullptr;

  // The matrix of head 1, read here and pooled there.
  PyramidSource source(StageId stage, bool readable = true) const {
    PyramidSource result;
    result.matrix = Tensor::computed({rows, columns}, {Axis::query, Axis::key},
                                     [own = *this, stage, readable](const Region& region, std::span<float> out) {
                                       ASSERT_TRUE(readable) << "cells came back to be pooled here";
                                       const Region of_head{{0, 1}, {1, 2}, region[0], region[1]};
                                       own.cells->read_scores(stage, of_head, out);
                                       if (own.edits) own.edits->apply(stage, of_head, out, {});
                                     });
    if (stage != StageId::raw_scores && stage != StageId::scores) result.mask = mask;
    result.head = 1;
    result.device = cells->device_pyramid(stage, 0, 1, edits);
    return result;
  }
};

class SharedPictureGlTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    if (!IsSkipped() && !HasFatalFailure()) backend_ = sharing();
  }
  void TearDown() override {
    backend_.reset();
    GlTest::TearDown();
  }

  std::shared_ptr<const Backend> sharing(std::int64_t numbers_per_buffer = 0) {
    GpuOptions options;
    options.make_context = [this] { return make_sharing_context(context(), store_->share()); };
    options.numbers_per_buffer = numbers_per_buffer;
    return make_gpu_backend(options);
  }

  // `masking`: a --mask, or "file": bytes with a row that sees nothing. `broken`: NaN and infinity in query and key.
  // `edits`: an --edit.
  Computed computed(std::int64_t rows, std::int64_t columns, const std::string& masking, bool broken = false,
                    std::shared_ptr<const Backend> backend = nullptr, const std::string& edits = "") {
    Tensor query = random_tensor({1, 2, rows, 9}, 1), key = random_tensor({1, 2, columns, 9}, 2);
    if (broken) {
      query.mutable_data()[(rows + 7) * 9] = kNan;
      key.mutable_data()[(columns + columns - 3) * 9 + 2] = kNan;
      key.mutable_data()[(columns + 11) * 9] = kInfinity;
    }
    Mask mask{HiddenCells(1, 1, rows, columns), {}};
    if (masking == "file") {
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) {
          mask.hidden.mutable_row(0, 0, i)[j] = i == 20 || (i / 3 + j / 4) % 3 == 0 ? 1 : 0;
        }
      }
      mask.hidden.refresh_any();
    } else {
      Request request;
      find_request_option("mask")->set(request, masking);
      mask = build_mask(request, {}, {.batch = 1, .heads = 2, .query_len = rows, .key_len = columns});
    }
    ScoreRule rule;
    rule.scale = 2;
    rule.mask = std::make_shared<const Mask>(std::move(mask));
    Computed made{backend != nullptr ? backend : backend_, rule.mask, nullptr, rows, columns};
    rule.dropout = 0.3;
    rule.dropout_seed = 11;
    made.cells = std::make_shared<const OnDemand>(made.backend, query, key, Tensor(), rule);
    if (edits.empty()) return made;
    Request request = alone_request();
    find_request_option("edit")->set(request, edits);
    const Tensor value = random_tensor({1, 2, columns, 3}, 3);
    made.edits = std::make_shared<const RowEdits>(request, alone_inputs({1, rows, columns, 2, 2, 9, 3}),
                                                  Heads{query, key, value}, rule, with_cpu_fallback(made.backend));
    return made;
  }

  static PooledPixels read_all(const DevicePicture& picture) {
    return picture.read({0, picture.rows}, {0, picture.columns});
  }

  std::shared_ptr<const Backend> backend_;
};

// As they are, without a hair's breadth.
inline void expect_equal(const PooledPixels& actual, const PooledPixels& expected, const std::string& what) {
  ASSERT_EQ(actual.rows, expected.rows) << what;
  ASSERT_EQ(actual.columns, expected.columns) << what;
  int wrong = 0;
  for (std::int64_t y = 0; y < actual.rows && wrong < 5; ++y) {
    for (std::int64_t x = 0; x < actual.columns && wrong < 5; ++x) {
      const auto at = static_cast<std::size_t>(y * actual.columns + x);
      const float a = actual.values[at], e = expected.values[at];
      const bool same = std::isnan(e) ? std::isnan(a) : a == e;
      if (same && actual.hidden(y, x) == expected.hidden(y, x)) continue;
      ++wrong;
      ADD_FAILURE() << what << ", pixel " << y << ", " << x << ": " << a << (actual.hidden(y, x) ? " hidden" : "")
                    << ", expected " << e << (expected.hidden(y, x) ? " hidden" : "");
    }
  }
}

inline DevicePicturePlan plan_of(std::shared_ptr<const DevicePixels> pixels, Pooling pooling) {
  DevicePicturePlan plan;
  plan.canvas_rows = pixels->rows;
  plan.canvas_columns = pixels->columns;
  plan.pooling = pooling;
  const std::int64_t rows = pixels->rows;
  plan.parts.push_back({std::move(pixels), 0, 0, rows});
  return plan;
}

}  // namespace headscope
