"""Shapes of published models, for checkpoints with nothing in them: config.json and the names and shapes of all tensors, from
the models' public configurations. Weights are holes: they read as zeros and take no room on the disk."""
import json
import os
import struct

SIZES = {'F32': 4, 'BF16': 2}
SHARD = 5 * 10**9

LLAMA_8B = {'model_type': 'llama', 'vocab_size': 128256, 'hidden_size': 4096, 'num_attention_heads': 32,
            'num_key_value_heads': 8, 'intermediate_size': 14336, 'num_hidden_layers': 32, 'hidden_act': 'silu',
            'max_position_embeddings': 8192, 'rms_norm_eps': 1e-5, 'rope_theta': 500000.0, 'tie_word_embeddings': False}
GPT2 = {'model_type': 'gpt2', 'vocab_size': 50257, 'n_embd': 768, 'n_head': 12, 'n_layer': 12, 'n_positions': 1024,
        'activation_function': 'gelu_new', 'layer_norm_epsilon': 1e-5}
PYTHIA_160M = {'model_type': 'gpt_neox', 'vocab_size': 50304, 'hidden_size': 768, 'num_attention_heads': 12,
               'num_hidden_layers': 12, 'intermediate_size': 3072, 'hidden_act': 'gelu', 'layer_norm_eps': 1e-5,
               'max_position_embeddings': 2048, 'rotary_pct': 0.25, 'rotary_emb_base': 10000,
               'use_parallel_residual': True, 'tie_word_embeddings': False}
GEMMA2_2B = {'model_type': 'gemma2', 'vocab_size': 256000, 'hidden_size': 2304, 'num_attention_heads': 8,
             'num_key_value_heads': 4, 'head_dim': 256, 'intermediate_size': 9216, 'num_hidden_layers': 26,
             'hidden_activation': 'gelu_pytorch_tanh', 'max_position_embeddings': 8192, 'rms_norm_eps': 1e-6,
             'rope_theta': 10000.0, 'sliding_window': 4096, 'attn_logit_softcapping': 50.0,
             'final_logit_softcapping': 30.0, 'query_pre_attn_scalar': 256}
QWEN3_30B = {'model_type': 'qwen3_moe', 'vocab_size': 151936, 'hidden_size': 2048, 'num_attention_heads': 32,
             'num_key_value_heads': 4, 'head_dim': 128, 'intermediate_size': 6144, 'moe_intermediate_size': 768,
             'num_experts': 128, 'num_experts_per_tok': 8, 'norm_topk_prob': True, 'decoder_sparse_step': 1,
             'mlp_only_layers': [], 'num_hidden_layers': 48, 'hidden_act': 'silu', 'max_position_embeddings': 40960,
             'rms_norm_eps': 1e-6, 'rope_theta': 1000000.0, 'tie_word_embeddings': False, 'attention_bias': False}


def projections(config, p):
    width = config['hidden_size']
    size = config.get('head_dim') or width // config['num_attention_heads']
    for name, heads in (('q', config['num_attention_heads']), ('k', config['num_key_value_heads']),
                        ('v', config['num_key_value_heads'])):
        yield f'{p}self_attn.{name}_proj.weight', [heads * size, width]
    yield f'{p}self_attn.o_proj.weight', [width, config['num_attention_heads'] * size]


def mlp(p, width, inner):
    for name in ('gate', 'up'):
        yield f'{p}{name}_proj.weight', [inner, width]
    yield f'{p}down_proj.weight', [width, inner]


def llama_like(config, norms, layer_more):
    width = config['hidden_size']
    yield 'model.embed_tokens.weight', [config['vocab_size'], width]
    for layer in range(config['num_hidden_layers']):
        p = f'model.layers.{layer}.'
        for norm in norms:
            yield f'{p}{norm}.weight', [width]
        yield from projections(config, p)
        yield from layer_more(config, p)
    yield 'model.norm.weight', [width]
    if not config.get('tie_word_embeddings', True):
        yield 'lm_head.weight', [config['vocab_size'], width]


def dense(config, p):
    yield from mlp(p + 'mlp.', config['hidden_size'], config['intermediate_size'])


def mixture(config, p):
    yield f'{p}self_attn.q_norm.weight', [config['head_dim']]
    yield f'{p}self_attn.k_norm.weight', [config['head_dim']]
    yield f'{p}mlp.gate.weight', [config['num_experts'], config['hidden_size']]
    for expert in range(config['num_experts']):
        yield from mlp(f'{p}mlp.experts.{expert}.', config['hidden_size'], config['moe_intermediate_size'])


def llama(config):
    yield from llama_like(config, ('input_layernorm', 'post_attention_layernorm'), dense)


def gemma2(config):
    yield from llama_like(config, ('input_layernorm', 'post_attention_layernorm', 'pre_feedforward_layernorm',
                                   'post_feedforward_layernorm'), dense)


def qwen3_moe(config):
    yield from llama_like(config, ('input_layernorm', 'post_attention_layernorm'), mixture)


def with_bias(name, out, width, transposed=False):
    yield name + '.weight', [width, out] if transposed else [out, width]
    yield name + '.bias', [out]


def norm(name, width):
    yield name + '.weight', [width]
    yield name + '.bias', [width]


def gpt2(config):
    width = config['n_embd']
    yield 'wte.weight', [config['vocab_size'], width]
    yield 'wpe.weight', [config['n_positions'], width]
    for layer in range(config['n_layer']):
        p = f'h.{layer}.'
        yield from norm(p + 'ln_1', width)
        yield from with_bias(p + 'attn.c_attn', 3 * width, width, True)
        yield from with_bias(p + 'attn.c_proj', width, width, True)
        yield from norm(p + 'ln_2', width)
        yield from with_bias(p + 'mlp.c_fc', 4 * width, width, True)
        yield from with_bias(p + 'mlp.c_proj', width, 4 * width, True)
    yield from norm('ln_f', width)


def gpt_neox(config):
    width, inner = config['hidden_size'], config['intermediate_size']
    yield 'gpt_neox.embed_in.weight', [config['vocab_size'], width]
    for layer in range(config['num_hidden_layers']):
        p = f'gpt_neox.layers.{layer}.'
        yield from norm(p + 'input_layernorm', width)
        yield from norm(p + 'post_attention_layernorm', width)
        yield from with_bias(p + 'attention.query_key_value', 3 * width, width)
        yield from with_bias(p + 'attention.dense', width, width)
        yield from with_bias(p + 'mlp.dense_h_to_4h', inner, width)
        yield from with_bias(p + 'mlp.dense_4h_to_h', width, inner)
    yield from norm('gpt_neox.final_layer_norm', width)
    yield 'embed_out.weight', [config['vocab_size'], width]


# name: configuration, tensors, type of numbers
SHAPES = {'llama-8b': (LLAMA_8B, llama, 'BF16'), 'gpt2': (GPT2, gpt2, 'F32'), 'pythia-160m': (PYTHIA_160M, gpt_neox, 'F32'),
          'gemma2-2b': (GEMMA2_2B, gemma2, 'BF16'), 'qwen3-30b-a3b': (QWEN3_30B, qwen3_moe, 'BF16')}


def count_of(shape):
    count = 1
    for size in shape:
        count *= size
    return count


def write_holes(path, tensors, kind):
    """A safetensors file whose numbers are holes."""
    header, at = {}, 0
    for name, shape in tensors:
        end = at + SIZES[kind] * count_of(shape)
        header[name] = {'dtype': kind, 'shape': shape, 'data_offsets': [at, end]}
        at = end
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    with open(path, 'wb') as file:
        file.write(struct.pack('<Q', len(text)) + text)
        file.truncate(8 + len(text) + at)
    return at


def write_folder(folder, shape):
    """The checkpoint of a shape, in shards. Returns its bytes."""
    config, tensors_of, kind = SHAPES[shape]
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'config.json'), 'w') as file:
        json.dump({**config, 'torch_dtype': {'F32': 'float32', 'BF16': 'bfloat16'}[kind]}, file, indent=2)
    shards, room = [[]], SHARD
    for name, size in tensors_of(config):
        bytes_ = SIZES[kind] * count_of(size)
        if bytes_ > room and shards[-1]:
            shards.append([])
            room = SHARD
        shards[-1].append((name, size))
        room -= bytes_
    if len(shards) == 1:
        return write_holes(os.path.join(folder, 'model.safetensors'), shards[0], kind)
    weight_map, total = {}, 0
    for number, tensors in enumerate(shards, 1):
        name = f'model-{number:05}-of-{len(shards):05}.safetensors'
        total += write_holes(os.path.join(folder, name), tensors, kind)
        weight_map.update((tensor, name) for tensor, _ in tensors)
    with open(os.path.join(folder, 'model.safetensors.index.json'), 'w') as file:
        json.dump({'metadata': {'total_size': total}, 'weight_map': weight_map}, file)
    return total


# ---- GGUF
GGUF_MODULES = {'input_layernorm': 'attn_norm', 'post_attention_layernorm': 'ffn_norm', 'self_attn.q_proj': 'attn_q',
                'self_attn.k_proj': 'attn_k', 'self_attn.v_proj': 'attn_v', 'self_attn.o_proj': 'attn_output',
                'mlp.gate_proj': 'ffn_gate', 'mlp.up_proj': 'ffn_up', 'mlp.down_proj': 'ffn_down'}
GGUF_ENDS = {'model.embed_tokens.weight': 'token_embd.weight', 'model.norm.weight': 'output_norm.weight',
             'lm_head.weight': 'output.weight'}
F32, Q4_K = 0, 12
Q4_K_BLOCK = (256, 144)  # numbers, bytes


def gguf_name(name):
    if name in GGUF_ENDS:
        return GGUF_ENDS[name]
    _, _, layer, module = name.split('.', 3)
    return f'blk.{layer}.{GGUF_MODULES[module.removesuffix(".weight")]}.weight'


def gguf_text(text):
    return struct.pack('<Q', len(text)) + text.encode()


def write_gguf(path):
    """llama-8b as Q4_K, its norms as F32. Returns its bytes."""
    config = LLAMA_8B
    whole = {'block_count': 'num_hidden_layers', 'embedding_length': 'hidden_size',
             'feed_forward_length': 'intermediate_size', 'attention.head_count': 'num_attention_heads',
             'attention.head_count_kv': 'num_key_value_heads', 'context_length': 'max_position_embeddings',
             'vocab_size': 'vocab_size'}
    fields = [gguf_text('general.architecture') + struct.pack('<I', 8) + gguf_text('llama')]
    fields += [gguf_text('llama.' + key) + struct.pack('<II', 4, config[ours]) for key, ours in whole.items()]
    for key, ours in (('attention.layer_norm_rms_epsilon', 'rms_norm_eps'), ('rope.freq_base', 'rope_theta')):
        fields.append(gguf_text('llama.' + key) + struct.pack('<If', 6, config[ours]))
    tensors, at = [], 0
    for name, shape in llama(config):
        kind = F32 if len(shape) == 1 else Q4_K
        size = 4 * shape[0] if kind == F32 else count_of(shape) // Q4_K_BLOCK[0] * Q4_K_BLOCK[1]
        tensors.append(gguf_text(gguf_name(name)) + struct.pack('<I', len(shape)) +
                       struct.pack(f'<{len(shape)}Q', *reversed(shape)) + struct.pack('<IQ', kind, at))
        at += size + -size % 32
    head = b'GGUF' + struct.pack('<IQQ', 3, len(tensors), len(fields)) + b''.join(fields) + b''.join(tensors)
    head += bytes(-len(head) % 32)
    with open(path, 'wb') as file:
        file.write(head)
        file.truncate(len(head) + at)
    return len(head) + at
