"""The layer that gathers the patches of SigLIP's images (Zhai et al. 2023), with Hugging Face's names: the query is
learned, keys and values are what leaves the tower, and behind attention stand a norm and an MLP. Float64."""
import torch
import torch.nn.functional as F

from model_golden_steps import Loaded, attend, split_heads

HEAD = 'vision_model.head.'


def weights(c, d):
    width, inner = c['hidden_size'], c['intermediate_size']
    d.w[HEAD + 'probe'] = d.draw.normal(1, 1, width)
    d.w[HEAD + 'attention.in_proj_weight'] = d.draw.normal(3 * width, width)
    d.w[HEAD + 'attention.in_proj_bias'] = d.draw.normal(3 * width, spread=0.3)
    d.linear(HEAD + 'attention.out_proj', width, width)
    d.norm(HEAD + 'layernorm', width)
    d.linear(HEAD + 'mlp.fc1', width, inner)
    d.linear(HEAD + 'mlp.fc2', inner, width)


def forward(c, w, stages, activation):
    """Stages `pool.NAME`. What attention gives is compared with nn.MultiheadAttention's own."""
    m, heads, keys = Loaded(w), c['num_attention_heads'], stages['final_hidden']
    probe = w[HEAD + 'probe'][0]
    rows = zip(w[HEAD + 'attention.in_proj_weight'].chunk(3), w[HEAD + 'attention.in_proj_bias'].chunk(3))
    q, k, v = (split_heads(F.linear(x, weight, bias), heads) for x, (weight, bias) in zip((probe, keys, keys), rows))
    own = {}
    concat = attend(own, 0, q, k, v, torch.ones(1, len(keys), dtype=torch.bool))
    stages.update({name.replace('layers.0.', 'pool.'): value for name, value in own.items()})
    stages['pool.input'], stages['pool.key_input'] = probe, keys.clone()
    output = stages['pool.output'] = m.linear(HEAD + 'attention.out_proj', concat)
    module = torch.nn.MultiheadAttention(c['hidden_size'], heads, batch_first=True).double()
    module.load_state_dict({name: w[HEAD + 'attention.' + name] for name in module.state_dict()})
    whole, probabilities = module(probe[None], keys[None], keys[None], average_attn_weights=False)
    assert torch.allclose(whole[0], output) and torch.allclose(probabilities[0], own['layers.0.weights'])
    inside = stages['pool.mlp_in'] = m.layer_norm(HEAD + 'layernorm', output, c['layer_norm_eps'])
    added = stages['pool.mlp_out'] = m.linear(HEAD + 'mlp.fc2', activation(m.linear(HEAD + 'mlp.fc1', inside)))
    stages['pool.hidden'] = output + added
