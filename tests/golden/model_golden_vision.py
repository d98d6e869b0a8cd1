"""Models of images, and the text models beside them, with Hugging Face's names: ViT (Dosovitskiy et al. 2021), DINOv2
(Oquab et al. 2023, registers Darcet et al. 2024), CLIP (Radford et al. 2021), SigLIP (Zhai et al. 2023). Float64."""
import torch
import torch.nn.functional as F

import model_golden_pool
from model_golden_steps import Drawn, Loaded, attend, causal, split_heads


def quick_gelu(x):
    return x * torch.sigmoid(1.702 * x)


ACTIVATIONS = {'gelu': F.gelu, 'quick_gelu': quick_gelu,
               'gelu_pytorch_tanh': lambda x: F.gelu(x, approximate='tanh')}


class Encoder:
    """A pre-norm encoder whose parts have the names of `names`; ROLE of `layer` is a module's name."""
    body = ''            # before the names of the body
    visible = staticmethod(lambda length: torch.ones(length, length, dtype=torch.bool))
    scaled = gated = False

    @classmethod
    def layer_weights(cls, c, d):
        width, inner = c['hidden_size'], cls.inner(c)
        for n in range(c['num_hidden_layers']):
            h = f'{cls.body}{cls.layers}{n}.'
            for norm in ('norm_1', 'norm_2'):
                d.norm(h + cls.layer[norm], width)
            for role in ('query', 'key', 'value', 'output'):
                d.linear(h + cls.layer[role], width, width, role == 'output' or c.get('qkv_bias', True))
            d.linear(h + cls.layer['up'], width, 2 * inner if cls.gated else inner)
            d.linear(h + cls.layer['down'], inner, width)
            if cls.scaled:
                for number in (1, 2):
                    d.w[f'{h}layer_scale{number}.lambda1'] = d.draw.normal(width, spread=0.3, mean=0.8)
        d.norm(cls.body + cls.final_norm, width)

    @staticmethod
    def inner(c):
        return c['intermediate_size']

    @classmethod
    def run(cls, c, w, x, stages):
        """x [len, hidden_size], what enters the first layer."""
        m, eps, heads = Loaded(w), c['layer_norm_eps'], c['num_attention_heads']
        activation = F.silu if cls.gated else ACTIVATIONS[c['hidden_act']]
        stages['embedded'] = x
        for n in range(c['num_hidden_layers']):
            h = f'{cls.body}{cls.layers}{n}.'
            inside = stages[f'layers.{n}.input'] = m.layer_norm(h + cls.layer['norm_1'], x, eps)
            q, k, v = (split_heads(m.linear(h + cls.layer[role], inside), heads) for role in ('query', 'key', 'value'))
            concat = attend(stages, n, q, k, v, cls.visible(len(x)))
            output = stages[f'layers.{n}.output'] = m.linear(h + cls.layer['output'], concat)
            if cls.scaled:
                output = stages[f'layers.{n}.attention_norm_out'] = output * w[h + 'layer_scale1.lambda1']
            x = x + output
            inner = m.linear(h + cls.layer['up'], m.layer_norm(h + cls.layer['norm_2'], x, eps))
            if cls.gated:
                first, second = inner.chunk(2, -1)
                inner = activation(first) * second
            else:
                inner = activation(inner)
            added = m.linear(h + cls.layer['down'], inner)
            if cls.scaled:
                added = added * w[h + 'layer_scale2.lambda1']
            x = stages[f'layers.{n}.hidden'] = x + added
        stages['final_hidden'] = m.layer_norm(cls.body + cls.final_norm, x, eps)


def sides(value):
    return (value, value) if isinstance(value, int) else tuple(value)


class ViT(Encoder):
    body = 'vit.'
    layers, final_norm = 'encoder.layer.', 'layernorm'
    layer = dict(norm_1='layernorm_before', query='attention.attention.query', key='attention.attention.key',
                 value='attention.attention.value', output='attention.output.dense', norm_2='layernorm_after',
                 up='intermediate.dense', down='output.dense')

    @classmethod
    def weights(cls, c, draw):
        d, width, patch = Drawn(draw), c['hidden_size'], c['patch_size']
        rows, columns = (side // patch for side in sides(c['image_size']))
        e = cls.body + 'embeddings.'
        d.w[e + 'cls_token'] = draw.normal(1, 1, width, spread=0.8)
        d.w[e + 'position_embeddings'] = draw.normal(1, 1 + rows * columns, width, spread=0.5)
        d.w[e + 'patch_embeddings.projection.weight'] = draw.normal(width, 3, patch, patch, spread=1.2 / patch)
        d.w[e + 'patch_embeddings.projection.bias'] = draw.normal(width, spread=0.3)
        cls.other_weights(c, d)
        cls.layer_weights(c, d)
        return d.w

    @classmethod
    def other_weights(cls, c, d):
        d.linear('classifier', c['hidden_size'], 3)
        d.linear('vit.pooler.dense', c['hidden_size'], c['hidden_size'])

    @classmethod
    def forward(cls, c, w, pixels, stages):
        e = cls.body + 'embeddings.'
        made = F.conv2d(pixels[None], w[e + 'patch_embeddings.projection.weight'],
                        w[e + 'patch_embeddings.projection.bias'], stride=c['patch_size'])[0]
        grid = made.shape[1:]
        x = torch.cat([w[e + 'cls_token'][0], made.flatten(1).T])
        x = x + cls.positions(c, w[e + 'position_embeddings'][0], grid)
        if c.get('num_register_tokens'):
            x = torch.cat([x[:1], w[e + 'register_tokens'][0], x[1:]])
        cls.run(c, w, x, stages)

    @staticmethod
    def positions(c, table, grid):
        return table


class Dinov2(ViT):
    body = ''
    scaled, antialias = True, False
    layer = dict(ViT.layer, norm_1='norm1', norm_2='norm2', up='mlp.fc1', down='mlp.fc2')

    @staticmethod
    def inner(c):
        return int(c['hidden_size'] * c['mlp_ratio'])

    @classmethod
    def other_weights(cls, c, d):
        d.w['embeddings.mask_token'] = d.draw.normal(1, c['hidden_size'])
        if c.get('num_register_tokens'):
            d.w['embeddings.register_tokens'] = d.draw.normal(1, c['num_register_tokens'], c['hidden_size'])

    @classmethod
    def positions(cls, c, table, grid):
        side = c['image_size'] // c['patch_size']
        if tuple(grid) == (side, side):
            return table
        patches = table[1:].reshape(1, side, side, -1).permute(0, 3, 1, 2)
        patches = F.interpolate(patches, size=tuple(grid), mode='bicubic', align_corners=False, antialias=cls.antialias)
        return torch.cat([table[:1], patches.permute(0, 2, 3, 1).flatten(1, 2)[0]])


class Dinov2Gated(Dinov2):
    gated, antialias = True, True
    layer = dict(Dinov2.layer, up='mlp.weights_in', down='mlp.weights_out')

    @staticmethod
    def inner(c):
        return (int(int(c['hidden_size'] * c['mlp_ratio']) * 2 / 3) + 7) // 8 * 8


class Tower(Encoder):
    layers = 'encoder.layers.'
    layer = dict(norm_1='layer_norm1', query='self_attn.q_proj', key='self_attn.k_proj', value='self_attn.v_proj',
                 output='self_attn.out_proj', norm_2='layer_norm2', up='mlp.fc1', down='mlp.fc2')


class ImageTower(Tower):
    body, final_norm = 'vision_model.', 'post_layernorm'
    class_token = True

    @classmethod
    def weights(cls, c, d):
        width, patch = c['hidden_size'], c['patch_size']
        count = (c['image_size'] // patch) ** 2 + (1 if cls.class_token else 0)
        e = cls.body + 'embeddings.'
        if cls.class_token:
            d.w[e + 'class_embedding'] = d.draw.normal(width, spread=0.8)
            d.norm(cls.body + 'pre_layrnorm', width)
        else:
            d.w[e + 'patch_embedding.bias'] = d.draw.normal(width, spread=0.3)
        d.w[e + 'patch_embedding.weight'] = d.draw.normal(width, 3, patch, patch, spread=1.2 / patch)
        d.table(e + 'position_embedding', count, width, spread=0.5)
        d.w[e + 'position_ids'] = torch.arange(count)[None]
        cls.layer_weights(c, d)

    @classmethod
    def forward(cls, c, w, pixels, stages):
        e = cls.body + 'embeddings.'
        x = F.conv2d(pixels[None], w[e + 'patch_embedding.weight'], w.get(e + 'patch_embedding.bias'),
                     stride=c['patch_size'])[0].flatten(1).T
        if cls.class_token:
            x = torch.cat([w[e + 'class_embedding'][None], x])
        x = x + w[e + 'position_embedding.weight']
        if cls.class_token:
            x = Loaded(w).layer_norm(cls.body + 'pre_layrnorm', x, c['layer_norm_eps'])
        cls.run(c, w, x, stages)


class TextTower(Tower):
    body, final_norm = 'text_model.', 'final_layer_norm'
    visible = staticmethod(causal)

    @classmethod
    def weights(cls, c, d):
        e = cls.body + 'embeddings.'
        d.table(e + 'token_embedding', c['vocab_size'], c['hidden_size'])
        d.table(e + 'position_embedding', c['max_position_embeddings'], c['hidden_size'], spread=0.5)
        cls.layer_weights(c, d)

    @classmethod
    def forward(cls, c, w, ids, stages):
        e = cls.body + 'embeddings.'
        x = w[e + 'token_embedding.weight'][ids] + w[e + 'position_embedding.weight'][:len(ids)]
        cls.run(c, w, x, stages)


class SiglipImageTower(ImageTower):
    class_token = False


class SiglipTextTower(TextTower):
    visible = Encoder.visible


class Clip:
    image, text = ImageTower, TextTower

    @classmethod
    def weights(cls, c, draw):
        d = Drawn(draw)
        cls.image.weights(c['vision_config'], d)
        cls.text.weights(c['text_config'], d)
        cls.other_weights(c, d)
        return d.w

    @staticmethod
    def other_weights(c, d):
        d.linear('visual_projection', c['vision_config']['hidden_size'], 5, False)
        d.linear('text_projection', c['text_config']['hidden_size'], 5, False)
        d.w['logit_scale'] = d.draw.normal(1)

    projections = 'visual_projection', 'text_projection'

    @classmethod
    def forward(cls, c, w, pixels, stages):
        cls.image.forward(c['vision_config'], w, pixels, stages)
        cls.project(w, cls.projections[0], stages)

    @classmethod
    def forward_text(cls, c, w, ids, stages):
        cls.text.forward(c['text_config'], w, ids, stages)
        cls.project(w, cls.projections[1], stages)

    @staticmethod
    def project(w, name, stages):
        if name:
            stages['projected'] = Loaded(w).linear(name, stages['final_hidden'])


class Siglip(Clip):
    image, text, projections = SiglipImageTower, SiglipTextTower, (None, 'text_model.head')

    @staticmethod
    def other_weights(c, d):
        model_golden_pool.weights(c['vision_config'], d)
        d.linear('text_model.head', c['text_config']['hidden_size'], c['vision_config']['hidden_size'])
        d.w['logit_bias'] = d.draw.normal(1)

    @classmethod
    def forward(cls, c, w, pixels, stages):
        super().forward(c, w, pixels, stages)
        model_golden_pool.forward(c['vision_config'], w, stages, ACTIVATIONS[c['vision_config']['hidden_act']])


def processor(size, resample, crop=None, mean=(0.5, 0.4, 0.6), deviation=(0.5, 0.3, 0.25), kind='ViT'):
    return {'do_resize': True, 'do_rescale': True, 'do_normalize': True, 'image_processor_type': kind + 'ImageProcessor',
            'image_mean': list(mean), 'image_std': list(deviation), 'rescale_factor': 0.00392156862745098,
            'resample': resample, 'size': size,
            **({'do_center_crop': True, 'crop_size': dict(zip(('height', 'width'), crop))} if crop else {})}


SMALL = dict(hidden_size=12, num_hidden_layers=2, num_attention_heads=3, num_channels=3)
VISION = dict(SMALL, intermediate_size=17, layer_norm_eps=1e-5)
TEXT = dict(VISION, hidden_size=15, vocab_size=41, max_position_embeddings=9)
DINO = dict(SMALL, model_type='dinov2', hidden_act='gelu', layer_norm_eps=1e-6, mlp_ratio=3, image_size=20, patch_size=5,
            qkv_bias=True, layerscale_value=1.0)
CASES = [
    ('vit', ViT, dict(SMALL, model_type='vit', intermediate_size=19, hidden_act='gelu', layer_norm_eps=1e-12,
                      image_size=[20, 28], patch_size=4, qkv_bias=True), processor({'height': 20, 'width': 28}, 2)),
    ('vit-no-bias', ViT, dict(SMALL, model_type='vit', intermediate_size=19, hidden_act='gelu', layer_norm_eps=1e-12,
                              image_size=17, patch_size=5, qkv_bias=False), processor({'height': 17, 'width': 17}, 1)),
    ('dinov2', Dinov2, DINO, processor({'shortest_edge': 22}, 3, crop=(20, 20), kind='Bit')),
    ('dinov2-other-grid', Dinov2, DINO, processor({'shortest_edge': 23}, 3, crop=(15, 27), kind='Bit')),
    ('dinov2-registers', Dinov2Gated,
     dict(DINO, model_type='dinov2_with_registers', num_register_tokens=3, use_swiglu_ffn=True),
     processor({'shortest_edge': 21}, 3, crop=(10, 15), kind='Bit')),
    ('clip', Clip,
     {'model_type': 'clip', 'projection_dim': 5, 'tie_word_embeddings': True,
      'text_config': dict(TEXT, model_type='clip_text_model', hidden_act='quick_gelu', tie_word_embeddings=True),
      'vision_config': dict(VISION, model_type='clip_vision_model', hidden_act='quick_gelu', image_size=20,
                            patch_size=5)},
     processor({'shortest_edge': 20}, 3, crop=(20, 20), kind='CLIP')),
    ('siglip', Siglip,
     {'model_type': 'siglip',
      'text_config': dict(TEXT, model_type='siglip_text_model', hidden_act='gelu_pytorch_tanh', layer_norm_eps=1e-6),
      'vision_config': dict(VISION, model_type='siglip_vision_model', hidden_act='gelu_pytorch_tanh',
                            layer_norm_eps=1e-6, image_size=16, patch_size=4)},
     processor({'height': 16, 'width': 16}, 3, kind='Siglip')),
]
