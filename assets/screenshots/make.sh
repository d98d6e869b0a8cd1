#!/usr/bin/env bash
# Draws the README's pictures anew, by the window itself: assets/screenshots/make.sh (after ./dev build)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
headscope=${1:-../../build/release/bin/headscope}
cli=${2:-$(dirname "$headscope")/headscope-cli}
"$cli" render --model demo:induction --phrase "cat box ink fox jam cat box ink fox jam" --view layers --width 1000 \
  --out model-layers-dark.png
"$cli" render --model demo:pronouns --phrase "The animal didn't cross the street because it was too tired" --view arcs \
  --heads-shown 7 --width 760 --theme light --out model-lines-light.png
induction=(--model demo:induction --phrase "cat box ink fox jam cat" --width 460)
"$cli" render "${induction[@]}" --view head --layer 1 --head 7 --out induction-weights-dark.png
"$cli" render "${induction[@]}" --view composition --by key --out induction-composition-dark.png
"$cli" render "${induction[@]}" --against induction-other.json --view sweep --patch paths --into 1:7 --metric logit:box \
  --out induction-paths-dark.png
"$headscope" --screenshot gradients-dark.png --size 1400x680 --then "phrase=cat box ink fox jam cat" \
  --then Gradients induction.json
# A picture opens in the view that drew it.
opened=$(mktemp -d)
trap 'rm -rf "$opened"' EXIT
"$cli" render "${induction[@]}" --layer 1 --view score --head 7 --at 5,1 --out "$opened/score.png"
"$headscope" --screenshot score-dark.png --size 1400x800 "$opened/score.png"
"$cli" render "${induction[@]}" --layer 1 --view scatter --head 7 --out "$opened/scatter.png"
"$headscope" --screenshot scatter-dark.png --size 1400x700 "$opened/scatter.png"
"$headscope" --screenshot circuits-dark.png --size 1400x800 --then Circuits
"$headscope" --screenshot window-dark.png --size 1600x1000
"$headscope" --screenshot problem-dark.png --size 1600x1000 --model seeded --then "phrase=Hola mi nombre es Alex" \
  --then heads=7
"$headscope" --screenshot layers-dark.png --size 1600x1000 --then Layers
"$headscope" --screenshot follow-dark.png --size 1400x880 --then Follow demo:pronouns
"$headscope" --screenshot lens-dark.png --size 1400x600 --then Lens induction.json
"$headscope" --screenshot sweep-dark.png --size 1400x520 --then "Pin the result as A" \
  --then "phrase=cat box ink fox jam cat" --then Sweep induction-a.json
"$headscope" --screenshot bug-lab-dark.png --size 1400x880 --then "Bug lab" street.json
"$headscope" --screenshot merge-direct-light.png --size 1600x1000 --theme light street.json
