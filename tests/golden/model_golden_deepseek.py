"""DeepSeek-V2 and V3 (DeepSeek-AI 2024), with Hugging Face's names: queries, keys and values out of latents, rotary
positions of the last features of a head, YaRN (Peng et al. 2023), experts of the best groups beside a shared one.
`input` is what the projection of queries reads: their latent."""
import math

import torch
import torch.nn.functional as F

from model_golden_steps import Drawn, Loaded, attend, causal, frequencies, split_heads, turned

EPS = 1e-6  # of the latents' norms, whatever the model's is


def stretched(scale, factor):
    return 1.0 if factor <= 1 else 0.1 * scale * math.log(factor) + 1.0


def yarn(c, features):
    """Inverse frequencies, what multiplies cos and sin, what multiplies the scale of the scores."""
    theta, scaling = c['rope_theta'], c.get('rope_scaling')
    plain = frequencies(theta, features)
    if scaling is None:
        return plain, 1.0, 1.0
    original, factor = scaling['original_max_position_embeddings'], scaling['factor']
    place = lambda turns: features * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(theta))
    low = max(math.floor(place(scaling['beta_fast'])), 0)
    high = min(math.ceil(place(scaling['beta_slow'])), features - 1)
    kept = [1 - min(max((p - low) / (high - low), 0.0), 1.0) for p in range(features // 2)]
    kept = torch.tensor(kept, dtype=torch.float64)
    mixed = (plain * kept + plain / factor * (1 - kept)).float().double()
    turns = stretched(scaling['mscale'], factor) / stretched(scaling['mscale_all_dim'], factor)
    return mixed, turns, stretched(scaling['mscale_all_dim'], factor) ** 2


class DeepSeek:
    exact = True

    @staticmethod
    def has_experts(c, n):
        return n >= c['first_k_dense_replace']

    @classmethod
    def weights(cls, c, draw):
        d, width, heads = Drawn(draw), c['hidden_size'], c['num_attention_heads']
        nope, rope, values, rank = c['qk_nope_head_dim'], c['qk_rope_head_dim'], c['v_head_dim'], c['kv_lora_rank']
        bias = c['attention_bias']
        d.table('model.embed_tokens', c['vocab_size'], width)
        for n in range(c['num_hidden_layers']):
            h = f'model.layers.{n}.'
            d.norm(h + 'input_layernorm', width, False)
            d.norm(h + 'post_attention_layernorm', width, False)
            a = h + 'self_attn.'
            if c['q_lora_rank'] is None:
                d.linear(a + 'q_proj', width, heads * (nope + rope), False)
            else:
                d.linear(a + 'q_a_proj', width, c['q_lora_rank'], bias)
                d.norm(a + 'q_a_layernorm', c['q_lora_rank'], False)
                d.linear(a + 'q_b_proj', c['q_lora_rank'], heads * (nope + rope), False)
            d.linear(a + 'kv_a_proj_with_mqa', width, rank + rope, bias)
            d.norm(a + 'kv_a_layernorm', rank, False)
            d.linear(a + 'kv_b_proj', rank, heads * (nope + values), False)
            d.linear(a + 'o_proj', heads * values, width, bias)
            if cls.has_experts(c, n):
                cls.draw_experts(c, d, h + 'mlp.')
            else:
                cls.draw_mlp(d, h + 'mlp.', width, c['intermediate_size'])
        d.norm('model.norm', width, False)
        d.linear('lm_head', width, c['vocab_size'], False)
        return d.w

    @staticmethod
    def draw_mlp(d, name, width, inner):
        d.linear(name + 'gate_proj', width, inner, False)
        d.linear(name + 'up_proj', width, inner, False)
        d.linear(name + 'down_proj', inner, width, False)

    @classmethod
    def draw_experts(cls, c, d, name):
        width, inner = c['hidden_size'], c['moe_intermediate_size']
        d.linear(name + 'gate', width, c['n_routed_experts'], False)
        if c['topk_method'] == 'noaux_tc':
            d.w[name + 'gate.e_score_correction_bias'] = d.draw.normal(c['n_routed_experts'], spread=0.3)
        for e in range(c['n_routed_experts']):
            cls.draw_mlp(d, f'{name}experts.{e}.', width, inner)
        if c['n_shared_experts']:
            cls.draw_mlp(d, name + 'shared_experts.', width, inner * c['n_shared_experts'])

    @staticmethod
    def mlp(m, name, x):
        return m.linear(name + 'down_proj', F.silu(m.linear(name + 'gate_proj', x)) * m.linear(name + 'up_proj', x))

    @classmethod
    def experts(cls, c, m, name, x, stages, layer):
        logits = m.linear(name + 'gate', x)
        p = torch.sigmoid(logits) if c['scoring_func'] == 'sigmoid' else F.softmax(logits, dim=-1)
        scores = p + m.w.get(name + 'gate.e_score_correction_bias', torch.zeros(()))
        groups = c['n_group'] if c['topk_method'] != 'greedy' else 1
        if groups > 1:
            of_groups = scores.view(len(x), groups, -1)
            good = of_groups.topk(2, -1)[0].sum(-1) if c['topk_method'] == 'noaux_tc' else of_groups.amax(-1)
            best = torch.zeros_like(good).scatter_(1, good.topk(c['topk_group'], -1)[1], 1.0)
            scores = of_groups.masked_fill(best[..., None] == 0, float('-inf')).view(len(x), -1)
        chosen = scores.topk(c['num_experts_per_tok'], -1)[1]
        factors = p.gather(1, chosen)
        if c['norm_topk_prob']:
            factors = factors / factors.sum(-1, keepdim=True)
        factors = factors * c['routed_scaling_factor']
        stages[f'layers.{layer}.router'], stages[f'layers.{layer}.experts'] = p, chosen.double()
        y = torch.zeros_like(x)
        for i in range(len(x)):
            for k, e in enumerate(chosen[i].tolist()):
                y[i] += factors[i, k] * cls.mlp(m, f'{name}experts.{e}.', x[i])
        return y + cls.mlp(m, name + 'shared_experts.', x) if c['n_shared_experts'] else y

    @classmethod
    def forward(cls, c, w, ids, stages):
        m, eps, heads = Loaded(w), c['rms_norm_eps'], c['num_attention_heads']
        nope, rope, rank = c['qk_nope_head_dim'], c['qk_rope_head_dim'], c['kv_lora_rank']
        inverse, longer, sharper = yarn(c, rope)
        turn = lambda x: torch.cat([x[..., :nope], longer * turned(x[..., nope:], inverse, True)], -1)
        x = stages['embedded'] = w['model.embed_tokens.weight'][ids]
        for n in range(c['num_hidden_layers']):
            h = f'model.layers.{n}.'
            a = h + 'self_attn.'
            inside = m.rms_norm(h + 'input_layernorm', x, eps)
            if c['q_lora_rank'] is None:
                latent, queries = inside, a + 'q_proj'
            else:
                latent = m.rms_norm(a + 'q_a_layernorm', m.linear(a + 'q_a_proj', inside), EPS)
                queries = a + 'q_b_proj'
            stages[f'layers.{n}.input'] = latent
            q = split_heads(m.linear(queries, latent), heads)
            compressed, shared = m.linear(a + 'kv_a_proj_with_mqa', inside).split([rank, rope], -1)
            kv_latent = m.rms_norm(a + 'kv_a_layernorm', compressed, EPS)
            stages[f'layers.{n}.key_input'] = torch.cat([kv_latent, shared], -1)
            stages[f'layers.{n}.value_input'] = kv_latent
            k, v = split_heads(m.linear(a + 'kv_b_proj', kv_latent), heads).split([nope, c['v_head_dim']], -1)
            k = torch.cat([k, shared[None].expand(heads, -1, -1)], -1)
            concat = attend(stages, n, turn(q), turn(k), v, causal(len(ids)), sharper / math.sqrt(nope + rope))
            output = stages[f'layers.{n}.output'] = m.linear(a + 'o_proj', concat)
            x = x + output
            between = m.rms_norm(h + 'post_attention_layernorm', x, eps)
            inner = (cls.experts(c, m, h + 'mlp.', between, stages, n) if cls.has_experts(c, n)
                     else cls.mlp(m, h + 'mlp.', between))
            x = stages[f'layers.{n}.hidden'] = x + inner
        x = stages['final_hidden'] = m.rms_norm('model.norm', x, eps)
        stages['logits'] = m.linear('lm_head', x)


V2 = {'model_type': 'deepseek_v2', 'vocab_size': 23, 'hidden_size': 14, 'num_hidden_layers': 2,
      'num_attention_heads': 3, 'intermediate_size': 11, 'moe_intermediate_size': 5, 'hidden_act': 'silu',
      'max_position_embeddings': 64, 'rms_norm_eps': 1e-5, 'rope_theta': 10000.0, 'attention_bias': False,
      'q_lora_rank': None, 'kv_lora_rank': 7, 'qk_nope_head_dim': 5, 'qk_rope_head_dim': 4, 'v_head_dim': 3,
      'n_routed_experts': 4, 'n_shared_experts': 2, 'num_experts_per_tok': 2, 'first_k_dense_replace': 1,
      'moe_layer_freq': 1, 'n_group': 1, 'topk_group': 1, 'topk_method': 'greedy', 'scoring_func': 'softmax',
      'norm_topk_prob': False, 'routed_scaling_factor': 1.5, 'tie_word_embeddings': False}
YARN = {'type': 'yarn', 'factor': 8, 'original_max_position_embeddings': 16, 'beta_fast': 4, 'beta_slow': 1,
        'mscale': 0.7, 'mscale_all_dim': 0.9}
V3 = {**V2, 'model_type': 'deepseek_v3', 'q_lora_rank': 6, 'n_routed_experts': 6, 'n_shared_experts': 1, 'n_group': 3,
      'topk_group': 2, 'topk_method': 'noaux_tc', 'scoring_func': 'sigmoid', 'norm_topk_prob': True,
      'routed_scaling_factor': 2.5, 'rope_scaling': YARN, 'num_key_value_heads': 3}
CASES = [('deepseek_v2', DeepSeek, V2),
         ('deepseek_v2-grouped', DeepSeek, {**V2, 'n_routed_experts': 6, 'n_group': 3, 'topk_group': 1,
                                            'topk_method': 'group_limited_greedy', 'first_k_dense_replace': 0,
                                            'q_lora_rank': 6, 'attention_bias': True, 'n_shared_experts': None}),
         ('deepseek_v3', DeepSeek, V3)]
