"""The rules themselves: each must refuse what it is there to refuse."""
import sys

import rules

FORBIDDEN = [
    ("core/tensor/a.cpp", "#include <imgui.h>"),
    ("core/tensor/a.cpp", "#include <epoxy/gl.h>"),
    ("core/tensor/a.h", "#include <Eigen/Dense>"),
    ("core/tensor/a.cpp", '#include "app/session/session.h"'),
    # Up, sideways, and past a floor that the design leaves out.
    ("core/tensor/a.cpp", '#include "core/request/request.h"'),
    ("core/request/a.h", '#include "core/model/inputs.h"'),
    ("core/io/a.cpp", '#include "core/request/stage.h"'),
    ("core/backend/a.cpp", '#include "core/io/npy.h"'),
    ("core/model/a.cpp", '#include "core/attention/trace.h"'),
    ("core/heads/a.cpp", '#include "core/explain/explain.h"'),
    ("core/picture/a.cpp", '#include "core/export/recipe.h"'),
    ("core/script/a.cpp", '#include "core/picture/figure/figure.h"'),
    ("core/picture/a.h", '#include "core/picture/figure/figure_plan.h"'),
    ("core/picture/text/a.cpp", '#include "core/picture/figure/figure.h"'),
    ("core/heap/a.cpp", "#include <vector>"),
    ("app/ui/corpora/a.cpp", "#include <vector>"),
    ("app/session/background/a.cpp", '#include "app/session/session.h"'),
    ("app/session/background/work/a.h", '#include "app/session/background/background.h"'),
    ("app/session/background/maps/a.cpp", '#include "app/session/background/models/model_numbers.h"'),
    ("app/session/background/models/a.cpp", '#include "app/session/background/background_queries.h"'),
    ("app/session/a.cpp", '#include "app/session/export/export_job.h"'),
    ("app/ui/widgets/a.cpp", '#include "app/ui/map/cell_grid.h"'),
    ("app/ui/map/a.cpp", '#include "app/ui/heads/arcs.h"'),
    ("app/ui/bug_lab/a.cpp", '#include "app/ui/heads/arcs.h"'),
    ("app/ui/ui.h", '#include "app/ui/map/cell_grid.h"'),
    ("app/ui/a.cpp", '#include "app/platform/window.h"'),
    ("app/ui/map/a.cpp", "#include <thread>"),
    ("app/main.cpp", '#include "app/ui/ui.h"'),
    ("app/session/a.cpp", '#include "app/ui/ui.h"'),
    ("app/session/a.cpp", "#include <GLFW/glfw3.h>"),
    ("app/ui/a.cpp", '#include "app/gl/programs.h"'),
    ("app/ui/a.cpp", "#include <epoxy/gl.h>"),
    ("app/ui/a.cpp", "#include <thread>"),
    ("app/gl/a.cpp", '#include "app/ui/ui.h"'),
    ("app/gl/a.cpp", "#include <imgui.h>"),
    ("app/cli/a.cpp", '#include "app/gl/offscreen.h"'),
    ("app/cli/a.cpp", '#include "app/gl/compute_backend.h"'),
    ("app/cli/a.cpp", "#include <epoxy/gl.h>"),
    ("app/platform/a.cpp", '#include "app/session/session.h"'),
    ("app/platform/a.cpp", "#include <imgui.h>"),
    ("app/ui/a.cpp", "#if IMGUI_VERSION_NUM >= 19200"),
    ("app/platform/a.cpp", "#if GLFW_VERSION_MINOR >= 4"),
    ("core/tensor/a.cpp", '#include "shape.h"'),
]
ALLOWED = [
    ("app/session/background/maps/a.cpp", '#include "app/session/background/work/worker.h"'),
    ("app/session/background/background.h", '#include "app/session/background/models/model_numbers.h"'),
    ("core/backend/a.cpp", "#include <Eigen/Core>"),
    ("app/ui/a.cpp", '#include "app/session/session.h"'),
    ("app/platform/window.h", '#include "app/platform/key_event.h"'),
    ("app/cli/compute.cpp", '#include "app/gl/compute_factory.h"'),
    ("core/backend/kernels/a.cpp", '#include "core/tensor/tensor.h"'),
    ("core/compare/a.cpp", '#include "core/explain/explain.h"'),
    ("core/picture/figure/a.cpp", '#include "core/picture/text/text.h"'),
    ("app/ui/shell.cpp", '#include "app/ui/heads/arcs.h"'),
    ("app/ui/layers/a.cpp", '#include "app/ui/heads/head_menu.h"'),
    ("app/ui/ui.h", '#include "app/ui/widgets/text_edit.h"'),
    ("app/frame/a.cpp", '#include "app/ui/ui.h"'),
    ("app/ui/imgui_compat.h", "#if IMGUI_VERSION_NUM >= 19200"),
]
wrong = [f"let through: {p}: {t}" for p, t in FORBIDDEN if not rules.violations(p, t)]
wrong += [f"refused: {p}: {t}" for p, t in ALLOWED if rules.violations(p, t)]
print("\n".join(wrong) or f"{len(FORBIDDEN)} refused, {len(ALLOWED)} let through")
sys.exit(1 if wrong else 0)
