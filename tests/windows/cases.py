"""What headscope-cli is asked for on Linux and on Windows: a row a command, in this order, in one folder.

Files of earlier rows are there for later ones. A row is a name, the command line as a shell has it, and what is
particular about it.
"""
import dataclasses
import shlex

PHRASE = "--phrase 'Hola mi nombre es Alex'"
INDUCTION = "--model demo:induction --phrase 'cat box ink fox jam cat'"
PRONOUNS = "--model demo:pronouns --phrase 'Anna lost the key because she was tired'"
UNICODE = "Größe ⛄ 日本語"
LONG = "/".join(letter * 120 for letter in "abc")  # longer than the 260 letters that Windows once allowed


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    line: str
    code: int = 0             # with which it ends
    given: bytes = b""        # standard input
    only_code: str = ""       # why neither texts nor files can be the same

    @property
    def words(self):
        return shlex.split(self.line)


CASES = [
    Case("version", "--version"),
    Case("help", "--help"),
    Case("help of a command", "render --help"),
    Case("manual", "manual --as man --out headscope-cli.1"),
    Case("completions", "manual --as bash"),
    # run: texts, JSON and every format of tables
    Case("run", f"run {PHRASE} --mask causal"),
    Case("run as JSON", f"run {PHRASE} --mask causal --json"),
    Case("run with metrics", f"run {PHRASE} --mask causal --metrics --json"),
    Case("run as PyTorch prints", "run --model seeded --embedding sequence --phrase 'a b c d e' --trace torch"),
    Case("CSV", f"run {PHRASE} --export weights,output --format csv --out tables"),
    Case("JSON tables", f"run {PHRASE} --export weights --format json --out numbers"),
    Case("NumPy", f"run {PHRASE} --heads 4 --export all --format npy --out arrays"),
    Case("safetensors", f"run {PHRASE} --export weights,output --format safetensors --out tensors"),
    Case("prediction", f"run {INDUCTION} --layer 1 --predict 5 --json"),
    Case("lens", f"run {INDUCTION} --layer 1 --lens --lens-of heads"),
    Case("summary", f"run {PRONOUNS} --summary"),
    Case("input of files", "run --input 003_x.npy --weights 003_layer.safetensors --heads 2 --json"),
    Case("phrases of standard input", "scan --model demo:pronouns --phrases - --out given.hsagg",
         given="Anna lost the key\nÜber den Wolken ☁\nTom and Anna\r\n".encode()),
    Case("a file of phrases with CRLF", "run --phrase-file crlf.txt --json"),
    # names
    Case("a name beyond ASCII", f"run {PHRASE} --export weights --format csv --out '{UNICODE}'"),
    Case("a phrase beyond ASCII", f"run --phrase '{UNICODE}' --json"),
    Case("a file beyond ASCII", f"render {PHRASE} --out '{UNICODE}/Köpfe.png'"),
    Case("a path of 360 letters", f"run {PHRASE} --export weights --format csv --out '{LONG}'"),
    # pictures
    Case("PNG", f"render {PHRASE} --mask causal --out heads.png"),
    Case("PNG again", "render --session heads.png --stage scores --out scores.png"),
    Case("SVG", f"render {PHRASE} --view head --head 3 --theme light --out head3.svg"),
    Case("PDF", f"render {PHRASE} --width 85mm --font-size 7 --background white --heads-shown 0,2 --out figure.pdf",
         only_code="a PDF says when it was written"),
    Case("HTML", f"render {PHRASE} --out page.html"),
    Case("lens as PNG", f"render {INDUCTION} --view lens --out lens.png"),
    Case("arcs and letters", f"render {PRONOUNS} --view text --head 7 --token 7 --out text.svg"),
    # where a number comes from
    Case("explain", f"explain {PHRASE} --stage weights --at 0,2,3,1"),
    Case("explain as JSON", "explain --phrase 'a b c' --heads 4 --stage output --at 0,2,17 --json"),
    Case("explain as SVG", "explain --phrase 'a b c' --stage weights --at 0,0,2,1 --out weight.svg"),
    Case("sensitivity", f"sensitivity {PRONOUNS} --stage weights --at 0,7,7,1"),
    Case("attribute", f"attribute {INDUCTION} --at 4 --token box --json"),
    Case("attribute as CSV", f"attribute {INDUCTION} --at 4 --token box --by heads --out logit.csv"),
    Case("score", f"score {INDUCTION} --layer 1 --head 7 --at 5,1"),
    Case("circuits", "circuits --model demo:induction"),
    Case("circuits of tokens", "circuits --model demo:induction --by tokens --head 1:7 --token box --json"),
    Case("gradients", f"gradients {INDUCTION} --metric logit:box --json"),
    Case("sweep", f"sweep {INDUCTION} --ablation zero --patch heads --metric logit:box --json"),
    Case("generate", f"generate {INDUCTION} --tokens 3"),
    Case("generate by chance", f"generate {INDUCTION} --tokens 5 --sample top-p:0.9 --sample-seed 7 --json"),
    # two results
    Case("diagnose", "diagnose --input 003_x.npy --weights 003_layer.safetensors --heads 2 --theirs theirs.npy "
         "--stage query"),
    Case("compare", f"compare {PHRASE} --mask causal --against heads.png --json"),
    Case("compare stages", f"compare {PHRASE} --scale 0.5 --against heads.png --stage weights --out differences"),
    Case("precision", "precision --phrase 'a b c' --heads 4 --stage weights,output",
         only_code="it tells the errors of last bits, which another library's exp moves"),
    Case("script for PyTorch", f"script {PHRASE} --as pytorch --out script"),
    Case("script for NumPy", "script --phrase 'a b c' --mask causal --as numpy --out script"),
    Case("formulas", f"script {PHRASE} --as latex"),
    Case("worksheet", "worksheet --seed 7 --sheets 2 --out sheet.pdf --solutions sheet.csv"),
    # a corpus
    Case("scan", "scan --model demo:pronouns --phrases phrases.txt --out all.hsagg"),
    Case("first shard", "scan --model demo:pronouns --phrases phrases.txt --shard 0/2 --out shard0.hsagg"),
    Case("second shard", "scan --model demo:pronouns --phrases phrases.txt --shard 1/2 --out shard1.hsagg"),
    Case("merge", "merge shard0.hsagg shard1.hsagg --out merged.hsagg"),
    Case("report", "report merged.hsagg"),
    Case("report as JSON", "report all.hsagg --json"),
    Case("report as CSV", "report all.hsagg --format csv --out report"),
    # what is in a file
    Case("info of a folder", "info model"),
    Case("info of tensors", "info 003_layer.safetensors --json"),
    Case("info of a picture", "info heads.png --json"),
    Case("info of an array", "info 003_x.npy"),
    Case("info of a demo", "info demo:pronouns --json"),
    Case("draft of a map", "info model --map-draft map.json"),
    Case("tokenize", "tokenize --model model --phrase 'cat box ink'"),
    Case("tokenize as JSON", "tokenize --model demo:stories --phrase 'Tom had a ball.' --json"),
    # what is refused
    Case("no command", "", 2),
    Case("an unknown option", "run --phrase a --colour red", 2),
    Case("a number out of place", f"explain {PHRASE} --stage weights --at 0,2,3,99", 2),
    Case("no file", "info none.npy", 3),
    Case("no model", "run --model none --phrase a", 3),
    Case("a folder for a file", "run --input model --heads 2", 3),
    Case("a file that was cut short", "info cut.safetensors", 3),
    Case("a picture that was cut short", "render --session cut.png --out again.png", 3),
    Case("a file that is empty", "info empty.npy", 3),
    Case("a file in the place of a folder", f"run {PHRASE} --export weights --out 003_x.npy", 3),
    Case("a folder in the place of a file", f"render {PHRASE} --out model.png", 3),
    # other machines, other words
    Case("bench", "bench --size attn:64,2,16,causal --threads 1", only_code="it says how fast it was"),
    Case("doctor", "doctor", only_code="it says which system this is"),
]
