"""Attention as PyTorch brings it: torch.nn.MultiheadAttention and scaled_dot_product_attention."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from torch_golden_files import save_npy, save_safetensors, stage
from torch_golden_fused import causal


def multihead_cases():
    cases = []

    def case(name, seed, embed, heads, arguments, options=None, self_attention=False, **call):
        torch.manual_seed(seed)
        module = nn.MultiheadAttention(embed, heads, batch_first=True, **arguments)
        with torch.no_grad():  # the biases start as zeros, which would hide a wrong slice
            for bias in [module.in_proj_bias, module.out_proj.bias]:
                if bias is not None:
                    bias.uniform_(-0.5, 0.5)
        x = torch.randn((2, 3, embed))
        files = name.replace(' ', '_')
        key = value = x
        given = {'weights': save_safetensors(f'mha_{files}.safetensors', module.state_dict(), {'num_heads': str(heads)}),
                 'input': save_npy(f'mha_{files}_x.npy', x)}
        if not self_attention:
            key = torch.randn((2, 4, module.kdim))
            value = torch.randn((2, 4, module.vdim))
            given['key-input'] = save_npy(f'mha_{files}_key.npy', key)
            given['value-input'] = save_npy(f'mha_{files}_value.npy', value)
        output, weights = module(x, key, value, need_weights=True, average_attn_weights=False, **call)
        cases.append({'name': f'nn.MultiheadAttention {name}', 'options': {**given, **(options or {})},
                      'stages': {'weights': stage(weights), 'output': stage(output)}})

    case('self', 1, 12, 3, {}, self_attention=True)
    case('self causal', 2, 12, 4, {}, {'mask': 'causal'}, self_attention=True, attn_mask=causal(3, 3))
    case('three inputs', 3, 8, 2, {})
    case('no bias', 4, 8, 4, {'bias': False})
    case('kdim and vdim', 5, 8, 2, {'kdim': 5, 'vdim': 7})
    case('bias_k', 6, 8, 2, {'add_bias_kv': True})
    case('bias_k and kdim causal', 7, 8, 4, {'add_bias_kv': True, 'kdim': 3, 'vdim': 6}, {'mask': 'causal'},
         attn_mask=causal(3, 4))
    float_mask = torch.tensor([[0.5, -1.0, 0.0, 2.0], [0.0, float('-inf'), 0.25, 0.0], [-3.0, 0.0, 0.0, 0.125]])
    case('float mask', 8, 8, 2, {}, {'mask': save_npy('mask_float.npy', float_mask)}, attn_mask=float_mask)
    hide = torch.tensor([[False, True, False, False], [True, False, False, True], [False, False, False, False]])
    case('boolean mask', 9, 8, 2, {}, {'mask': save_npy('mask_hide.npy', hide), 'mask-kind': 'hide'}, attn_mask=hide)
    padded = torch.tensor([[False, False, False, True], [False, False, False, True]])
    case('padded keys', 10, 8, 2, {}, {'mask': 'padding:1'}, key_padding_mask=padded)
    # [batch, heads, query_len, key_len], one mask for every head and item.
    per_head = torch.randn((2, 2, 3, 4), generator=torch.Generator().manual_seed(11))
    case('mask of every head', 11, 8, 2, {}, {'mask': save_npy('mask_per_head.npy', per_head)},
         attn_mask=per_head.reshape(4, 3, 4))
    return cases


# F._scaled_dot_product_attention is what 1.13 calls F.scaled_dot_product_attention.
def attention_cases():
    cases = []
    generator = torch.Generator().manual_seed(12)
    query = torch.randn((2, 2, 3, 5), generator=generator)
    key = torch.randn((2, 2, 6, 5), generator=generator)
    value = torch.randn((2, 2, 6, 4), generator=generator)
    files = {'query': save_npy('sdpa_query.npy', query), 'key': save_npy('sdpa_key.npy', key),
             'value': save_npy('sdpa_value.npy', value)}
    keep = torch.rand((3, 6), generator=generator) > 0.4
    keep[1] = torch.tensor([False, True, False, False, True, False])
    add = torch.randn((2, 1, 3, 6), generator=generator)

    def case(name, options, **call):
        context, weights = F._scaled_dot_product_attention(query, key, value, need_attn_weights=True, **call)
        cases.append({'name': f'scaled_dot_product_attention {name}', 'options': {**files, **options},
                      'stages': {'weights': stage(weights), 'context': stage(context)}})

    case('plain', {})
    case('causal, more keys than queries', {'mask': 'causal'}, is_causal=True)
    case('boolean keep mask', {'mask': save_npy('sdpa_keep.npy', keep)}, attn_mask=keep)
    case('added mask', {'mask': save_npy('sdpa_add.npy', add)}, attn_mask=add)
    hidden_row = keep.clone()
    hidden_row[2] = False
    case('a row without keys', {'mask': save_npy('sdpa_hidden_row.npy', hidden_row)}, attn_mask=hidden_row)
    large = 40.0 * query
    context, weights = F._scaled_dot_product_attention(large, key, value, need_attn_weights=True)
    cases.append({'name': 'scaled_dot_product_attention large scores',
                  'options': {**files, 'query': save_npy('sdpa_large_query.npy', large)},
                  'stages': {'weights': stage(weights), 'context': stage(context)}, 'tolerance': 2e-5})
    return cases
