"""Encoders with narrow embeddings, shared layers or rotary positions, with Hugging Face's names: ELECTRA's generator
(Clark et al. 2020), ALBERT (Lan et al. 2020) and ModernBERT (Warner et al. 2024)."""
import torch
import torch.nn.functional as F

from model_golden_steps import Drawn, Loaded, attend, frequencies, split_heads, turned


def gelu_tanh(x):
    return F.gelu(x, approximate='tanh')


class Electra:
    """BERT's layers behind embeddings that are summed and normalised narrow, then projected."""
    exact = True
    projection = 'electra.embeddings_project'
    embeddings = 'electra.embeddings.'
    transform, transform_norm = 'generator_predictions.dense', 'generator_predictions.LayerNorm'
    decoder_bias = 'generator_lm_head.bias'
    layer = dict(query='attention.self.query', key='attention.self.key', value='attention.self.value',
                 output='attention.output.dense', norm_1='attention.output.LayerNorm', up='intermediate.dense',
                 down='output.dense', norm_2='output.LayerNorm')
    activation = staticmethod(F.gelu)
    head_activation = staticmethod(F.gelu)

    @staticmethod
    def stored(c, number):
        return f'electra.encoder.layer.{number}.'

    @classmethod
    def weights(cls, c, draw):
        d, width, narrow, inner = Drawn(draw), c['hidden_size'], c['embedding_size'], c['intermediate_size']
        d.table(cls.embeddings + 'word_embeddings', c['vocab_size'], narrow)
        d.table(cls.embeddings + 'position_embeddings', c['max_position_embeddings'], narrow, spread=0.5)
        d.table(cls.embeddings + 'token_type_embeddings', c['type_vocab_size'], narrow, spread=0.5)
        d.norm(cls.embeddings + 'LayerNorm', narrow)
        if cls.has_projection(c):
            d.linear(cls.projection, narrow, width)
        for stored in sorted({cls.stored(c, n) for n in range(c['num_hidden_layers'])}):
            for role, name in cls.layer.items():
                if role.startswith('norm'):
                    d.norm(stored + name, width)
                else:
                    d.linear(stored + name, inner if role == 'down' else width, inner if role == 'up' else width)
        d.linear(cls.transform, width, narrow)
        d.norm(cls.transform_norm, narrow)
        d.w[cls.decoder_bias] = draw.normal(c['vocab_size'], spread=0.3)
        cls.add_others(d, c)
        return d.w

    @staticmethod
    def has_projection(c):
        return c['embedding_size'] != c['hidden_size']

    @staticmethod
    def add_others(d, c):
        d.w['electra.embeddings.position_ids'] = torch.arange(c['max_position_embeddings'])[None]

    @classmethod
    def forward(cls, c, w, ids, stages):
        m, eps, heads = Loaded(w), c['layer_norm_eps'], c['num_attention_heads']
        e = cls.embeddings
        x = w[e + 'word_embeddings.weight'][ids] + w[e + 'token_type_embeddings.weight'][0]
        x = m.layer_norm(e + 'LayerNorm', x + w[e + 'position_embeddings.weight'][:len(ids)], eps)
        x = stages['embedded'] = m.linear(cls.projection, x) if cls.has_projection(c) else x
        for n in range(c['num_hidden_layers']):
            h = lambda role: cls.stored(c, n) + cls.layer[role]
            stages[f'layers.{n}.input'] = x
            q, k, v = (split_heads(m.linear(h(role), x), heads) for role in ('query', 'key', 'value'))
            concat = attend(stages, n, q, k, v, torch.ones(len(ids), len(ids), dtype=torch.bool))
            output = stages[f'layers.{n}.output'] = m.linear(h('output'), concat)
            x = m.layer_norm(h('norm_1'), x + output, eps)
            inner = m.linear(h('down'), cls.activation(m.linear(h('up'), x)))
            x = stages[f'layers.{n}.hidden'] = m.layer_norm(h('norm_2'), x + inner, eps)
        stages['final_hidden'] = x
        x = m.layer_norm(cls.transform_norm, cls.head_activation(m.linear(cls.transform, x)), eps)
        stages['logits'] = F.linear(x, w[e + 'word_embeddings.weight'], w[cls.decoder_bias])


class Albert(Electra):
    """Groups of layers with the same weights; the projection is there whatever the widths are."""
    projection = 'albert.encoder.embedding_hidden_mapping_in'
    embeddings = 'albert.embeddings.'
    transform, transform_norm = 'predictions.dense', 'predictions.LayerNorm'
    decoder_bias = 'predictions.bias'
    layer = dict(query='attention.query', key='attention.key', value='attention.value', output='attention.dense',
                 norm_1='attention.LayerNorm', up='ffn', down='ffn_output', norm_2='full_layer_layer_norm')
    activation = staticmethod(gelu_tanh)
    head_activation = staticmethod(gelu_tanh)

    @staticmethod
    def stored(c, number):
        group = int(number / (c['num_hidden_layers'] / c['num_hidden_groups']))
        return f'albert.encoder.albert_layer_groups.{group}.albert_layers.0.'

    @staticmethod
    def has_projection(c):
        return True

    @staticmethod
    def add_others(d, c):
        d.linear('albert.pooler', c['hidden_size'], c['hidden_size'])
        d.linear('sop_classifier.classifier', c['hidden_size'], 2)
        d.w['predictions.decoder.weight'] = d.w['albert.embeddings.word_embeddings.weight'].clone()
        d.w['predictions.decoder.bias'] = d.w['predictions.bias'].clone()


class ModernBert:
    exact = True

    @staticmethod
    def weights(c, draw):
        d, width, inner = Drawn(draw), c['hidden_size'], c['intermediate_size']
        norm_bias, bias, mlp_bias = c['norm_bias'], c['attention_bias'], c['mlp_bias']
        d.table('model.embeddings.tok_embeddings', c['vocab_size'], width)
        d.norm('model.embeddings.norm', width, norm_bias)
        for n in range(c['num_hidden_layers']):
            h = f'model.layers.{n}.'
            if n > 0:
                d.norm(h + 'attn_norm', width, norm_bias)
            d.linear(h + 'attn.Wqkv', width, 3 * width, bias)
            d.linear(h + 'attn.Wo', width, width, bias)
            d.norm(h + 'mlp_norm', width, norm_bias)
            d.linear(h + 'mlp.Wi', width, 2 * inner, mlp_bias)
            d.linear(h + 'mlp.Wo', inner, width, mlp_bias)
        d.norm('model.final_norm', width, norm_bias)
        d.linear('head.dense', width, width, c['classifier_bias'])
        d.norm('head.norm', width, norm_bias)
        if c['decoder_bias']:
            d.w['decoder.bias'] = draw.normal(c['vocab_size'], spread=0.3)
        return d.w

    @staticmethod
    def forward(c, w, ids, stages):
        m, eps, heads, length = Loaded(w), c['norm_eps'], c['num_attention_heads'], len(ids)
        norm = lambda name, x: m.layer_norm(name, x, eps)
        size = c['hidden_size'] // heads
        distance = (torch.arange(length)[:, None] - torch.arange(length)[None]).abs()
        x = stages['embedded'] = norm('model.embeddings.norm', w['model.embeddings.tok_embeddings.weight'][ids])
        for n in range(c['num_hidden_layers']):
            h = f'model.layers.{n}.'
            local = n % c['global_attn_every_n_layers'] != 0
            inverse = frequencies(c['local_rope_theta'] if local else c['global_rope_theta'], size)
            visible = distance <= c['local_attention'] // 2 if local else distance >= 0
            inside = stages[f'layers.{n}.input'] = norm(h + 'attn_norm', x) if n > 0 else x
            q, k, v = (split_heads(part, heads) for part in m.linear(h + 'attn.Wqkv', inside).chunk(3, -1))
            concat = attend(stages, n, turned(q, inverse), turned(k, inverse), v, visible)
            output = stages[f'layers.{n}.output'] = m.linear(h + 'attn.Wo', concat)
            x = x + output
            first, second = m.linear(h + 'mlp.Wi', norm(h + 'mlp_norm', x)).chunk(2, -1)
            x = stages[f'layers.{n}.hidden'] = x + m.linear(h + 'mlp.Wo', F.gelu(first) * second)
        x = stages['final_hidden'] = norm('model.final_norm', x)
        x = norm('head.norm', F.gelu(m.linear('head.dense', x)))
        stages['logits'] = F.linear(x, w['model.embeddings.tok_embeddings.weight'], w.get('decoder.bias'))


ELECTRA = {'model_type': 'electra', 'vocab_size': 23, 'embedding_size': 7, 'hidden_size': 15, 'num_hidden_layers': 2,
           'num_attention_heads': 3, 'intermediate_size': 17, 'hidden_act': 'gelu', 'max_position_embeddings': 9,
           'type_vocab_size': 2, 'layer_norm_eps': 1e-12, 'pad_token_id': 0, 'position_embedding_type': 'absolute'}
ALBERT = {**ELECTRA, 'model_type': 'albert', 'num_hidden_layers': 4, 'num_hidden_groups': 2, 'inner_group_num': 1,
          'hidden_act': 'gelu_new', 'embedding_size': 6}
MODERNBERT = {'model_type': 'modernbert', 'vocab_size': 23, 'hidden_size': 18, 'num_hidden_layers': 4,
              'num_attention_heads': 3, 'intermediate_size': 13, 'hidden_activation': 'gelu',
              'max_position_embeddings': 19, 'norm_eps': 1e-5, 'norm_bias': False, 'global_rope_theta': 160000.0,
              'local_rope_theta': 10000.0, 'global_attn_every_n_layers': 3, 'local_attention': 4,
              'attention_bias': False, 'mlp_bias': False, 'classifier_bias': False, 'classifier_activation': 'gelu',
              'decoder_bias': True, 'tie_word_embeddings': True, 'position_embedding_type': 'absolute'}
CASES = [('electra', Electra, ELECTRA),
         ('electra-wide', Electra, {**ELECTRA, 'embedding_size': 15}),
         ('albert', Albert, ALBERT),
         ('albert-one-group', Albert, {**ALBERT, 'num_hidden_layers': 2, 'num_hidden_groups': 1,
                                       'embedding_size': 15}),
         ('modernbert', ModernBert, MODERNBERT),
         ('modernbert-biased', ModernBert, {**MODERNBERT, 'num_hidden_layers': 2, 'norm_bias': True,
                                            'attention_bias': True, 'mlp_bias': True, 'classifier_bias': True,
                                            'decoder_bias': False, 'local_attention': 2})]
