"""Whisper for make_encoder_decoder_golden.py, written from Radford et al. 2022 (section 2.2) and its published code,
with PyTorch's own functions. Beside the other stages: first_convolution [frames, d_model] and tokens [positions, d_model],
what the two convolutions give."""
import math

import torch
import torch.nn.functional as F

from model_golden_steps import Drawn, Loaded
from model_golden_t5 import attend, everything, split


def sinusoids(length, channels):
    """The table of the encoder's positions."""
    step = math.log(10000.0) / (channels // 2 - 1)
    scales = torch.exp(-step * torch.arange(channels // 2, dtype=torch.float64))
    angles = torch.arange(length, dtype=torch.float64)[:, None] * scales[None]
    return torch.cat([torch.sin(angles), torch.cos(angles)], dim=1).float()


class Whisper:
    @classmethod
    def weights(cls, c, draw):
        d, width = Drawn(draw), c['d_model']
        for name, channels in (('conv1', c['num_mel_bins']), ('conv2', width)):
            d.w[f'model.encoder.{name}.weight'] = draw.normal(width, channels, 3, spread=0.35)
            d.w[f'model.encoder.{name}.bias'] = draw.normal(width, spread=0.3)
        d.w['model.encoder.embed_positions.weight'] = sinusoids(c['max_source_positions'], width)
        d.table('model.decoder.embed_tokens', c['vocab_size'], width, spread=0.4)
        d.table('model.decoder.embed_positions', c['max_target_positions'], width, spread=0.5)
        for stack in ('encoder', 'decoder'):
            d.norm(f'model.{stack}.layer_norm', width)
            for n in range(c[stack + '_layers']):
                layer = f'model.{stack}.layers.{n}.'
                for kind in ['self_attn'] + (['encoder_attn'] if stack == 'decoder' else []):
                    for part in ('q_proj', 'k_proj', 'v_proj', 'out_proj'):
                        d.linear(f'{layer}{kind}.{part}', width, width, bias=part != 'k_proj')
                    d.norm(f'{layer}{kind}_layer_norm', width)
                d.linear(layer + 'fc1', width, c[stack + '_ffn_dim'])
                d.linear(layer + 'fc2', c[stack + '_ffn_dim'], width)
                d.norm(layer + 'final_layer_norm', width)
        return d.w

    @classmethod
    def features(cls, c, draw):
        return draw.normal(c['num_mel_bins'], 2 * c['max_source_positions'], spread=0.8)

    @classmethod
    def stack(cls, c, m, stages, stack, x, encoded=None):
        heads, length = c[stack + '_attention_heads'], x.shape[0]
        norm = lambda name, x: m.layer_norm(name, x, 1e-5)
        position = torch.arange(length)
        visible = everything(length, length) if encoded is None else position[None] <= position[:, None]

        def attention(n, kind, label, x, source, visible):
            layer = f'model.{stack}.layers.{n}.{kind}'
            h = stages[f'{label}.{n}.input'] = norm(layer + '_layer_norm', x)
            source = h if source is None else source
            q = split(m.linear(layer + '.q_proj', h), heads)
            k, v = (split(m.linear(f'{layer}.{part}_proj', source), heads) for part in 'kv')
            concat = attend(stages, f'{label}.{n}', q, k, v, visible, (c['d_model'] // heads) ** -0.5)
            out = stages[f'{label}.{n}.output'] = m.linear(layer + '.out_proj', concat)
            return x + out

        streams = []
        for n in range(c[stack + '_layers']):
            streams.append(x)
            x = attention(n, 'self_attn', stack, x, None, visible)
            if encoded is not None:
                x = attention(n, 'encoder_attn', 'cross', x, encoded, everything(length, encoded.shape[0]))
            layer = f'model.{stack}.layers.{n}.'
            x = x + m.linear(layer + 'fc2', F.gelu(m.linear(layer + 'fc1', norm(layer + 'final_layer_norm', x))))
        if encoded is not None:
            stages['streams'] = torch.stack(streams + [x])
        return norm(f'model.{stack}.layer_norm', x)

    @classmethod
    def forward(cls, c, w, features, decoder_ids, stages):
        m = Loaded(w)
        convolved = lambda name, x, step: F.gelu(F.conv1d(
            x[None], w[f'model.encoder.{name}.weight'], w[f'model.encoder.{name}.bias'], stride=step, padding=1))[0]
        first = convolved('conv1', features, 1)
        tokens = convolved('conv2', first, 2).T
        stages['first_convolution'], stages['tokens'] = first.T, tokens
        x = tokens + w['model.encoder.embed_positions.weight']
        encoded = stages['encoder.final_hidden'] = cls.stack(c, m, stages, 'encoder', x)
        words = w['model.decoder.embed_tokens.weight']
        x = words[decoder_ids] + w['model.decoder.embed_positions.weight'][:len(decoder_ids)]
        x = stages['final_hidden'] = cls.stack(c, m, stages, 'decoder', x, encoded)
        stages['logits'] = F.linear(x, words)
        stages['lens'] = F.linear(m.layer_norm('model.decoder.layer_norm', stages['streams'], 1e-5), words)


WHISPER_SIZES = dict(model_type='whisper', vocab_size=53, num_mel_bins=5, d_model=30, encoder_layers=2,
                     decoder_layers=3, encoder_attention_heads=3, decoder_attention_heads=5, encoder_ffn_dim=26,
                     decoder_ffn_dim=35, max_source_positions=9, max_target_positions=13, activation_function='gelu',
                     scale_embedding=False, tie_word_embeddings=True, bos_token_id=1, pad_token_id=2, eos_token_id=2,
                     decoder_start_token_id=4, is_encoder_decoder=True)
